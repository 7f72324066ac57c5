import { u32 } from "../algebra/integers.ts";
import type { Operator } from "../algebra/monoid.ts";
import { add, min } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType } from "../algebra/types.ts";
import type { LookBackChoices } from "../kernels/look_back.ts";
import type { RunStores } from "../kernels/run_lengths.ts";
import { runLengthsKernel, runLengthsMemory, runsMonoid } from "../kernels/run_lengths.ts";
import { votesInWord } from "../kernels/subgroup_tiles.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import { mapOf } from "./map.ts";
import type { Chosen } from "./options.ts";
import { ofItems } from "./plain_plan.ts";
import type { Bindings, Plan, Scratch } from "./plan.ts";
import { bound, itemTypesOf, rangesTaken } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { SegmentsOf } from "./planned_segments.ts";

/** The most bytes of a key that threads hold while they look back. */
const MOST_KEY_BYTES = 8;

/** Bytes of the buffer that is bound in place of the keys, if these do not fill a vector. */
const NOTHING_BYTES = 16;

/** The options by which a plan knows whether a reduction only finds runs. */
export type RunLengthOptions = Chosen & {
  readonly type: ElementType;
  readonly op?: Operator;
  readonly map?: string;
  readonly initial?: unknown;
  readonly lengthOnGpu?: boolean;
};

/**
 * What a reduction stores for a run, if the starts of the runs decide it: its length, for a sum that adds 1 for each item; its
 * start, for the least index, where indices start at 0.
 */
function numberOf({ type, op = add, map, initial }: RunLengthOptions): "length" | "start" | undefined {
  if (!isSameType(type, u32) || initial) {
    return undefined;
  }
  const text = typeof map === "string" ? map.trim() : undefined;
  return op === add && text === "1u" ? "length" : op === min && text === "i" ? "start" : undefined;
}

/** Plans a reduction that only finds runs of keys, in one dispatch. It is undefined for others, and where the data is read twice. */
export function planRunLengths(
  { segments: { title, needs, ranges, key, uniqueType }, runs }: SegmentsOf,
  options: RunLengthOptions,
  facts: PlanFacts,
  testing: Partial<LookBackChoices>,
): Plan | undefined {
  if (runs === undefined) {
    return undefined;
  }
  const { keys, unique, alone } = runs;
  const number = numberOf(options);
  // If the indices of a recording wrap around within a run, its first index is not the least one.
  if (number === undefined || (number === "start" && alone !== "totals")) {
    return undefined;
  }
  const { type, from = type, lengthOnGpu = false } = options;
  const stores: RunStores = { unique, number: alone === "keys" ? undefined : number };
  const monoid = runsMonoid(stores);
  const single = facts.fasterWays?.planSinglePass?.("runs", { title, type, monoid }, options, facts, testing);
  if (single === undefined) {
    return undefined;
  }
  const { algorithm, sizes } = single.tuning;
  if (
    algorithm !== "subgroup" ||
    !votesInWord(sizes) ||
    keys.type.bytes > MOST_KEY_BYTES ||
    runLengthsMemory(single.tuning, stores, keys.type.bytes) > facts.limits.maxComputeWorkgroupStorageSize
  ) {
    return undefined;
  }
  // Checks the types.
  mapOf(options, type, title, facts.features);
  const maxLength = requireMaxLength(
    title,
    options.maxLength,
    Math.max(from.bytes, type.bytes, key.bytes),
    facts.limits,
  );
  const kernel = runLengthsKernel(keys, stores, single.carry, { ...single.tuning, lengthOnGpu });
  const { entries, bytes } = single.spineOf(maxLength);
  const spine: Scratch = { name: "spine", bytes };
  const vectorOfKeys: Scratch = { name: "a vector of keys", bytes: NOTHING_BYTES, late: true };
  const bindings: Bindings = {
    output: "output",
    keys: "keys",
    unique_keys: "unique",
    first_items: "unique",
    count_buffer: "count",
    length_buffer: "length",
    spine,
  };
  return {
    ...ofItems(title, maxLength),
    kernels: [kernel],
    scratch: [spine, vectorOfKeys],
    spine: { scratch: spine, entries },
    segments: ranges,
    needs: rangesTaken({ input: true, output: true, length: lengthOnGpu }, needs),
    itemTypes: { ...itemTypesOf(from, type, key), unique: uniqueType ?? key },
    groupingOf: () => single.groupingOf(1),
    passes: (length) => [
      {
        kernel,
        bindings: bound(kernel, {
          ...bindings,
          // Keys that do not fill a vector are not bound as vectors.
          key_vectors: length * key.bytes < NOTHING_BYTES ? vectorOfKeys : "keys",
        }),
        length,
        tiles: Math.max(1, single.tilesOf(length)),
      },
    ],
  };
}
