import { valuesOf } from "../../algebra/array_values.ts";
import type { AnyArray } from "../../algebra/arrays.ts";
import { arrayOver, isOnGpu, requireMemory } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import { isTrue } from "../../algebra/truth.ts";
import type { Value } from "../../algebra/types.ts";
import { ArgumentError } from "../../errors.ts";
import { requireOptions } from "../../options.ts";
import { afterLoad, loadCpuPrimitives, loadStreams } from "../../parts.ts";
import type { CompactOptions } from "../../plan/compact.ts";
import { MOST_CLASSES, planCompact, planPartition } from "../../plan/compact.ts";
import type { Plan } from "../../plan/plan.ts";
import { planFactsFor } from "../../plan/plan_facts_for.ts";
import { planReduce } from "../../plan/reduce.ts";
import { compact } from "../../primitives/compact.ts";
import { callNames } from "../../primitives/option_names.ts";
import type { ClassPartition, Partition } from "../../primitives/partition.ts";
import { partition } from "../../primitives/partition.ts";
import { reduce } from "../../primitives/reduce.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import type { Given } from "../device/given.ts";
import { bytesOf } from "../device/given.ts";
import type { ReadBack } from "../device/transfer.ts";
import { plannedLength } from "../executor/planned.ts";
import { arrangementFor } from "../executor/plans_of_calls.ts";
import { paramsOf } from "../executor/with_params.ts";
import type { LongCall, LongPlanned } from "../streams/pieces_at_hand.ts";
import { cpuTakes, onCpu } from "./choose_cpu.ts";
import type { FoldOptions } from "./fold_at_hand.ts";
import { foldAtHand } from "./fold_at_hand.ts";
import type { HandTypes, Selected, Selection, SelectOptions } from "./hand_types.ts";
import { mappedTypesOf, targetFor, typesOf } from "./hand_types.ts";
import { isLong, planAtHand, readBackOf } from "./run_at_hand.ts";

// Reductions, compactions and partitions at hand.

/** @throws {ArgumentError} for an array for the result: a total at hand is a value. */
export function requireNoRoom({ into }: { readonly into?: unknown }): void {
  if (into !== undefined) {
    throw new ArgumentError(
      "reduce: into is for arrays on the GPU, and data is a typed array; its totals are returned",
      "into",
    );
  }
}

/** `Fold.reduce`. `given` and `into` are the array, and one for the result, as they were when the call began. */
export async function reduceAtHand(
  context: Context,
  given: Given,
  options: FoldOptions,
  into: Given,
): Promise<Value> {
  requireOptions("reduce", options, callNames(reduce));
  requireNoRoom(options);
  const { bytes, arrayOf, type } = await foldAtHand("reduce", context, given, options, into, async (all) =>
    planReduce(all, await planFactsFor(all, context.facts), [arrangementFor(all)]),
  );
  return valuesOf(arrayOf(bytes.buffer as ArrayBuffer), type)(0);
}

/** To read up to this many bytes takes less time than to ask the GPU first how many items are kept. */
const SHORT = 2 ** 18;

/** Bytes of where the parts begin, at most, and of where the last one ends. */
const MOST_COUNT_BYTES = u32.bytes * (MOST_CLASSES + 1);

/** `Fold.compact`. `given` and `into` are the array, and the one for the result, as they were when the call began. */
export async function compactAtHand(
  context: Context,
  given: Given,
  options: SelectOptions,
  into: Given,
): Promise<AnyArray> {
  requireOptions("compact", options, callNames(compact));
  return (await selectAtHand("compact", planCompact, context, given, options, into)).values;
}

/** `Fold.partition`. `given` and `into` are the array, and the one for the result, as they were when the call began. */
export async function partitionAtHand(
  context: Context,
  given: Given,
  options: SelectOptions,
  into: Given,
): Promise<Partition<AnyArray, number> | ClassPartition<AnyArray, Uint32Array>> {
  requireOptions("partition", options, callNames(partition));
  const isByClass = options.classes !== undefined || options.class !== undefined;
  const { values, counts } = await selectAtHand("partition", planPartition, context, given, options, into);
  return isByClass ? { values, offsets: counts } : { values, count: counts[0] ?? 0 };
}

/** A partition takes no map. */
const typesFor = { compact: mappedTypesOf, partition: typesOf } as const;

/**
 * A compaction, or a partition, whose result has as many elements as the data. `counts` has how many are kept; for classes,
 * where each begins, and where the last one ends.
 */
async function selectAtHand(
  primitive: "compact" | "partition",
  planner: (...given: Parameters<typeof planPartition>) => Plan,
  context: Context,
  given: Given,
  options: SelectOptions,
  into: Given,
): Promise<{ readonly values: AnyArray; readonly counts: Uint32Array }> {
  const isWhole = primitive === "partition";
  const { flags, indices = false, into: _, maxLength: __, ...others } = options;
  const { length } = given;
  const { arrayOf: itemsOf, ...types } = await typesFor[primitive](given, options, primitive);
  const { type } = types;
  const title = `${primitive}<${type.name}>`;
  const { where, classes, class: expression } = options;
  const isByClass = classes !== undefined || expression !== undefined;
  if (!isByClass && where === undefined && flags === undefined) {
    throw new ArgumentError(
      `${title} takes where (a WGSL expression) or flags; it was given neither`,
      "where",
    );
  }
  if (flags !== undefined) {
    requireFlags(flags, length, title);
  }
  const itemBytes = indices ? u32.bytes : type.bytes;
  const longest = Math.max(type.bytes, types.from?.bytes ?? 0, itemBytes, flags ? u32.bytes : 0);
  // A partition puts the other items after all kept ones, so it cannot go in pieces.
  const goesInPieces = !isWhole && isLong(length, longest, context);
  const size = { primitive, length, options };
  // Flags are copied now if there are not many, and later piece by piece.
  const words =
    flags && (!goesInPieces || cpuTakes(context, size))
      ? wordsOfFlags(flags as ArrayLike<number>)
      : undefined;
  const arrayOf: HandTypes["arrayOf"] = indices ? (...range) => arrayOver(u32, ...range) : itemsOf;
  const target = targetFor(into, arrayOf, primitive, length, isWhole);
  // Members that stand behind what is spread would take microseconds.
  const all = {
    indices,
    maxLength: isWhole ? length : plannedLength(length),
    ...(others as Partial<CompactOptions>),
    ...(await paramsOf("call", options, primitive, context)),
    ...types,
    ...(flags && { flags: true }),
  };
  const plan = async (options: typeof all): Promise<Plan> =>
    planner(options, await planFactsFor(options, context.facts), [arrangementFor(options)]);
  const planned = { primitive, all, plan };
  const selection = { planned, given, types, itemBytes, target, flags: words } as const;
  const { bytes, counts } =
    (await onCpu(context, size, (cpu) =>
      cpu.withArrays(primitive, { data: given }, () =>
        afterLoad(loadCpuPrimitives(), ({ select }) => select(context, selection)),
      ),
    )) ??
    (goesInPieces
      ? await selectInPieces(context, selection, {
          into,
          flags: flags && { marks: flags, check: () => requireFlags(flags, length, title) },
        })
      : await selectAtOnce(context, selection, words));
  requireStillThere(into, primitive);
  const values =
    isWhole && into.data !== undefined
      ? into.data
      : arrayOf(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength / itemBytes);
  return { values, counts };
}

/** @throws {ArgumentError} if the array that was given for the result is not there any more. */
function requireStillThere(into: Given, caller: string): void {
  if (into.data !== undefined) {
    bytesOf(into, caller, "into", "into");
  }
}

/** A compaction of a long array. How many items are kept follows from its bytes. */
async function selectInPieces(
  context: Context,
  { planned, given, itemBytes, target }: Selection,
  { into, flags }: Pick<LongCall, "into" | "flags">,
): Promise<Selected> {
  const bytes = await (await loadStreams()).runInPieces(context, {
    planned: planned as LongPlanned,
    given,
    outputBytes: itemBytes,
    target,
    into,
    flags,
  });
  return { bytes, counts: Uint32Array.of(bytes.byteLength / itemBytes) };
}

/** A compaction, or a partition, in one execution. `words` are the flags. */
async function selectAtOnce(
  context: Context,
  { planned, given, itemBytes, target }: Selection,
  words: Uint32Array | undefined,
): Promise<Selected> {
  const { length } = given;
  const isWhole = planned.primitive === "partition";
  const memory =
    bufferBytesFor(given.byteLength) +
    bufferBytesFor(length * itemBytes, MOST_COUNT_BYTES) +
    (words ? bufferBytesFor(words.byteLength) : 0);
  return planAtHand(
    context,
    planned,
    memory,
    async ({ plan: { countWords = 1 }, upload, output, run, readBack }) => {
      const counts = new Uint32Array(countWords);
      if (length === 0) {
        return { bytes: new Uint8Array(0), counts };
      }
      const ranges = {
        input: await upload("input", given),
        flags: words && (await upload("flags", words)),
        output: await output("output", length),
        count: await output("count", countWords),
      };
      const counted = readBackOf(ranges.count, counts.byteLength, () => new Uint8Array(counts.buffer));
      let made = target(0)();
      const result = (items: number): ReadBack => ({
        buffer: ranges.output.buffer,
        bytes: items * itemBytes,
        use(bytes) {
          const size = isWhole ? bytes.length : (counts[0] ?? 0) * itemBytes;
          made = target(size)();
          made.set(bytes.subarray(0, size));
        },
      });
      // Nobody knows yet how many items are kept. If there are few, it takes less time to read all of them than to ask first.
      const readsAll = isWhole || length * itemBytes <= SHORT;
      await run(ranges, length, readsAll ? [counted, result(length)] : [counted]);
      if (!readsAll && counts[0]) {
        await readBack([result(counts[0])]);
      }
      return { bytes: made, counts };
    },
  );
}

/** Flags as the kernels read them: 0, or another number. */
function wordsOfFlags(flags: ArrayLike<number | boolean>): Uint32Array {
  if (flags instanceof Uint8Array || flags instanceof Int32Array || flags instanceof Uint32Array) {
    return new Uint32Array(flags);
  }
  const words = new Uint32Array(flags.length);
  for (let at = 0; at < words.length; at++) {
    words[at] = Number(isTrue(flags[at]));
  }
  return words;
}

/** Requires flags on the CPU, one for each element. */
function requireFlags(flags: ArrayLike<number | boolean>, length: number, title: string): void {
  const marks: { readonly length?: unknown } = Object(typeof flags === "object" ? flags : undefined);
  if (isOnGpu(flags)) {
    throw new ArgumentError(
      `${title}: flags is on the GPU, and data is not; fold.upload(data) puts it there`,
      "flags",
    );
  }
  requireMemory(title, "flags", flags);
  if (marks.length !== length) {
    throw new ArgumentError(
      typeof marks.length === "number"
        ? `${title}: ${marks.length} flags for ${length} elements; it takes one for each`
        : `${title}: flags is ${flags === null ? "null" : typeof flags}; it takes an array of one flag for each element`,
      "flags",
    );
  }
}
