import { NagaError, parseWgsl, validate } from "naga-wasm";
import type { TitledKernel } from "./kernels.ts";

/** What naga refuses of the texts that it has read: its report, or nothing. */
const known = new Map<string, string | undefined>();

function refusalOf(code: string): string | undefined {
  if (!known.has(code)) {
    known.set(code, read(code));
  }
  return known.get(code);
}

function read(code: string): string | undefined {
  try {
    const module = parseWgsl(code);
    try {
      validate(module).free();
    } finally {
      module.free();
    }
    return undefined;
  } catch (cause) {
    if (cause instanceof NagaError) {
      return cause.formatted ?? cause.message;
    }
    throw cause;
  }
}

/** What naga, the compiler of Firefox and Deno, refuses of kernels. Their f16 needs no adapter that has it. */
export const nagaFailures = (kernels: readonly Pick<TitledKernel, "title" | "code">[]): readonly string[] =>
  kernels.flatMap(({ title, code }) => {
    const refusal = refusalOf(code);
    return refusal === undefined ? [] : [`${title}: ${refusal}`];
  });
