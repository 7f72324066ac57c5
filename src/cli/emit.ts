import type { Operator } from "../algebra/monoid.ts";
import type { NarrowName, TypeName } from "../algebra/types.ts";
import { workGroupAlgorithms } from "../in_kernel/algorithms.ts";
import { codeOfDirective } from "../in_kernel/directives.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import { workGroupReduce, workGroupScan, workGroupSegmentedReduce, workGroupSegmentedScan } from "../wgsl.ts";
import { UsageError } from "./errors.ts";
import { print } from "./print.ts";
import { combinedType } from "./types_of_calls.ts";

const functionsOf = {
  scan: workGroupScan,
  reduce: workGroupReduce,
  "segmented-scan": workGroupSegmentedScan,
  "segmented-reduce": workGroupSegmentedReduce,
} as const;

const primitives = /* @__PURE__ */ Object.keys(functionsOf) as (keyof typeof functionsOf)[];

interface EmitOptions {
  readonly type: TypeName | NarrowName;
  readonly op: Operator<TypeName>;
  readonly algorithm: Algorithm;
  readonly workGroupSize: number;
}

/** `wavefold emit`. `given` are the names of the options that were given. */
export async function emit(
  [what = "", ...settings]: readonly string[],
  options: EmitOptions,
  given: readonly string[],
): Promise<void> {
  const primitive = primitives.find((one) => one === what);
  const code =
    primitive === undefined
      ? codeOfWords([what, ...settings], options, given)
      : codeOfPrimitive(primitive, options);
  if (primitive !== undefined && settings.length > 0) {
    throw new UsageError(`emit ${primitive}: ${settings.join(" ")} means nothing to it; it takes options`);
  }
  await print(code.endsWith("\n") ? code : `${code}\n`);
}

function codeOfPrimitive(primitive: keyof typeof functionsOf, options: EmitOptions): string {
  const { op, workGroupSize, type: name } = options;
  const algorithm = workGroupAlgorithms[options.algorithm];
  const type = combinedType(name);
  const { code } = functionsOf[primitive]<TypeName>({ type, op, algorithm, workGroupSize });
  return type.name === name ? code : `// In WGSL, values of ${name} are ${type.name}.\n${code}`;
}

/** The functions that the words of a directive ask for. */
function codeOfWords(
  words: readonly string[],
  { workGroupSize }: EmitOptions,
  given: readonly string[],
): string {
  if (!words[0]?.includes("_")) {
    throw new UsageError(
      `emit: ${words[0]} is none of ${primitives.join(", ")}, and no function's name, such as work_group_split, work_group_sort_u32, thread_tile_32_shuffle_u32 or coalesced_scan_exclusive_add_u32`,
    );
  }
  const stranger = given.find((one) => one !== "--work-group-size");
  if (stranger !== undefined) {
    throw new UsageError(
      `emit ${words[0]}: the function's name says its type and operator, and settings such as algorithm=blelloch follow it; ${stranger} is for ${primitives.join(", ")}`,
    );
  }
  const isSized = words.some((word) => /^\d+$/.test(word));
  if (isSized && given.length > 0) {
    throw new UsageError(`emit ${words[0]}: the work-group size is given twice`);
  }
  const takesSize = words.some((word) => /^(work_group|coalesced|thread_tile)_/.test(word));
  return codeOfDirective([...words, ...(isSized || !takesSize ? [] : [workGroupSize])].join(" "));
}
