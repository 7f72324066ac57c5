import type { AnyArray } from "../algebra/arrays.ts";
import { arrayOver } from "../algebra/arrays.ts";
import { u32 } from "../algebra/integers.ts";
import { ArgumentError } from "../errors.ts";
import { requireOptions } from "../options.ts";
import type { CompactOptions } from "../plan/compact.ts";
import { planCompact } from "../plan/compact.ts";
import { commonNames } from "../plan/options.ts";
import type { planPartition } from "../plan/partition.ts";
import type { Plan } from "../plan/plan.ts";
import type { HandCompactOptions, HandTypes, TypeOptions } from "./at_hand.ts";
import { arrangementFor, fresh, planAtHand, targetFor, typesOf } from "./at_hand.ts";
import type { Context } from "./context.ts";
import type { GpuArray } from "./gpu_array.ts";
import { methodsFor } from "./methods.ts";
import type { Given } from "./transfer.ts";

const compactNames = {
  where: true,
  flags: true,
  indices: true,
  into: true,
  ...commonNames,
} as const satisfies Record<keyof HandCompactOptions<string> | "from" | "indices" | "into", true>;

/** The options of a compaction or a partition. Nobody has checked them yet. */
export type SelectOptions = TypeOptions &
  Pick<HandCompactOptions<string>, "where" | "flags"> & {
    readonly indices?: boolean;
    readonly into?: unknown;
    readonly classes?: number;
    readonly class?: string;
  };

/** `Fold.compact`. `given` and `room` are the array, and the one for the result, as they were when the call began. */
export async function compactAtHand(
  context: Context,
  given: Given,
  room: Given,
  options: SelectOptions,
): Promise<AnyArray> {
  requireOptions("compact", options, compactNames);
  return (await selectAtHand("compact", planCompact, context, given, room, options)).values;
}

/**
 * A compaction, or a partition, whose result has as many elements as the data. `counts` has how many are kept; for classes,
 * where each begins, and where the last one ends.
 */
export async function selectAtHand(
  primitive: "compact" | "partition",
  planner: (...given: Parameters<typeof planPartition>) => Plan,
  context: Context,
  given: Given,
  room: Given,
  options: SelectOptions,
): Promise<{ readonly values: AnyArray; readonly counts: Uint32Array }> {
  const isWhole = primitive === "partition";
  const { flags, indices = false, into, ...others } = options;
  const { data, length } = given;
  const { arrayOf: itemsOf, ...types } = await typesOf(data, options, primitive);
  const { type } = types;
  const title = `${primitive}<${type.name}>`;
  const { where, classes, class: expression } = options;
  const isByClass = classes !== undefined || expression !== undefined;
  if (!isByClass && (where === undefined) === (flags === undefined)) {
    throw new ArgumentError(`${title} takes where (a WGSL expression) or flags, and not both`, "where");
  }
  const words = flags && flagWords(flags, length, title);
  const arrayOf: HandTypes["arrayOf"] = indices ? (...range) => arrayOver(u32, ...range) : itemsOf;
  const target = await targetFor(into, room, arrayOf, primitive, length, isWhole);
  const all = {
    ...(others as Partial<CompactOptions>),
    ...types,
    indices,
    maxLength: length,
  };
  const plan = async (): Promise<Plan> =>
    planner(all, context.facts, await methodsFor(all, context.facts), [arrangementFor(all)]);
  const itemBytes = indices ? u32.bytes : type.bytes;
  const { made, counts } = await planAtHand(
    context,
    { primitive, all, plan },
    async ({ plan: { countWords = 1 }, upload, output, record, readBack }) => {
      if (length === 0) {
        return { made: new Uint8Array(0), counts: new Uint32Array(countWords) };
      }
      const ranges = {
        input: await upload("input", given),
        flags: words && (await upload("flags", words)),
        output: await output("output", length),
        count: await output("count", countWords),
      };
      const read = await readBack(ranges.count, fresh(countWords * u32.bytes), record(ranges));
      const counts = new Uint32Array(read.buffer);
      const items = isWhole ? length : (counts[0] ?? 0);
      return { made: await readBack(ranges.output, target(items * itemBytes)), counts };
    },
  );
  const values =
    isWhole && into !== undefined
      ? room.data
      : arrayOf(made.buffer as ArrayBuffer, made.byteOffset, made.byteLength / itemBytes);
  return { values, counts };
}

/** Flags as the kernels read them: a u32 for each element. */
function flagWords(flags: ArrayLike<number | boolean>, length: number, title: string): Uint32Array {
  const marks: { readonly length?: unknown } & Partial<Pick<GpuArray, "callOnGpu">> = Object(flags);
  if (marks.callOnGpu !== undefined) {
    throw new ArgumentError(
      `${title}: flags is on the GPU, and data is not; fold.upload(data) puts it there`,
      "flags",
    );
  }
  if (marks.length !== length) {
    throw new ArgumentError(
      typeof marks.length === "number"
        ? `${title}: ${marks.length} flags for ${length} elements; it takes one for each`
        : `${title}: flags is ${flags === null ? "null" : typeof flags}; it takes an array of one flag for each element`,
      "flags",
    );
  }
  return Uint32Array.from(flags as ArrayLike<number>, (flag) => (flag ? 1 : 0));
}
