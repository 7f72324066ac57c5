import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { deno, denoOn, lavapipeMissing } from "./deno.ts";
import type { TitledKernel } from "./kernels.ts";

const script = fileURLToPath(new URL("./naga.mjs", import.meta.url));
/** With f16 where there is one. */
const driver = lavapipeMissing === undefined ? "lavapipe" : "swiftshader";

interface Result {
  readonly f16: boolean;
  readonly compiled: number;
  readonly failures: readonly string[];
}

/** The texts in which naga has found nothing wrong. */
const rightTexts = new Set<string>();

/** Compiles kernels with naga, in Deno. A text that it has compiled before counts, and is not compiled again. */
export async function naga(kernels: readonly Pick<TitledKernel, "title" | "code">[]): Promise<Result> {
  const others = kernels.filter(({ code }) => !rightTexts.has(code));
  const result = await compiledByNaga(others);
  for (const { code } of result.failures.length > 0 ? [] : others) {
    if (result.f16 || !/^enable f16;/m.test(code)) {
      rightTexts.add(code);
    }
  }
  return { ...result, compiled: result.compiled + kernels.length - others.length };
}

async function compiledByNaga(kernels: readonly Pick<TitledKernel, "title" | "code">[]): Promise<Result> {
  const own = mkdtempSync(join(tmpdir(), "wavefold-naga-"));
  try {
    const path = join(own, "kernels.json");
    writeFileSync(path, JSON.stringify(kernels.map(({ title, code }) => ({ title, code }))));
    const { stdout } = await promisify(execFile)(
      deno,
      ["run", "--no-config", "-A", "--unstable-webgpu", script, path],
      {
        env: { ...process.env, ...(await denoOn(driver)) },
        maxBuffer: 2 ** 26,
      },
    );
    return JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? "null") as Result;
  } finally {
    rmSync(own, { recursive: true });
  }
}
