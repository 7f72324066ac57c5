import { ArgumentError } from "../errors.ts";
import type { Kernel } from "../kernels/kernel.ts";
import { storeFirstKernel, storeTakenKernel } from "../kernels/select.ts";
import type { SortSource } from "../kernels/sort.ts";
import { checkedSort } from "./check_sort.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { moveSizes } from "./gather.ts";
import type { Pass, PassParams, Plan, RangeName, Scratch } from "./plan.ts";
import { bound, distinct, wholeWords, withRanges } from "./plan.ts";
import type { TopKRowsOptions } from "./select.ts";
import { common } from "./select.ts";
import { requireWhole } from "./sort_key.ts";
import type { SegmentTesting } from "./sort_segments.ts";
import { longestTile, planLong, planSegmentsOf, requireSortedSegments, slottedFor } from "./sort_segments.ts";

// Selections of the first elements of each row. Rows that fit in work-group memory are sorted there. Longer rows are divided into
// chunks that fit: the first elements of each chunk are a shorter row, and so on. If that leaves too many elements, the rows are
// sorted.

/**
 * Plans the selection of the first elements of each row.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planTopKRows(
  options: TopKRowsOptions,
  facts: DeviceFacts,
  testing: SegmentTesting = {},
): Plan {
  const { k: given, smallest, segments: _, maxSegmentLength, ...others } = options;
  const sorted = { ...others, indices: true, descending: smallest !== true };
  const { type, base, range, row, maxLength, keyBytes } = checkedSort(
    sorted,
    facts,
    "positions",
    testing,
    "topK",
  );
  const name = `topK<${type.name}>`;
  const k = requireWhole(given, 1, name, "k");
  if (requireSortedSegments(options, maxLength, name) !== "rows") {
    throw new ArgumentError(`${name}: segments is "offsets"; it takes "rows"`, "segments");
  }
  const title = `${name} of rows`;
  if (options.lengthOnGpu) {
    throw new ArgumentError(
      `${title} takes no length on the GPU; it takes one that the CPU knows`,
      "lengthOnGpu",
    );
  }
  const most = Math.min(maxLength, maxSegmentLength ?? maxLength);
  const slotted = slottedFor(base, range, {}, row, facts, Math.min(most, longestTile(facts, testing)));
  const sizes = moveSizes(title, type, facts);
  const tile = sizes.workGroupSize * sizes.items;
  const plan = {
    ...common(title, maxLength, type),
    ...planSegmentsOf("rows"),
    vector: 1,
    needs: new Set<RangeName>(["input", "output", "indices"]),
    variants: [{ arrangement: "items" as const }],
    outputLength: (_length: number, { columns = 0, segment_count: count = 0 }: PassParams = {}) =>
      count * Math.min(k, columns),
  };
  /** The last pass, which moves the elements to their places. */
  const store = (kernel: Kernel, positions: Scratch, length: number, params: PassParams): Pass => ({
    kernel,
    bindings: bound(kernel, { input: "input", output: "output", indices: "indices", positions }),
    length,
    tiles: Math.ceil(length / tile),
    params,
  });

  const taken: Scratch = { name: "positions that are taken", bytes: wholeWords(maxLength * 4) };
  if (slotted === undefined || (most > slotted.slot && 2 * k > slotted.slot)) {
    const order = planLong(sorted, "rows", title, facts, testing);
    const last = storeFirstKernel(type, sizes);
    return {
      ...plan,
      baseNames: { ...order.baseNames, ...plan.baseNames },
      kernels: distinct([...order.kernels, last]),
      scratch: [taken, ...order.scratch],
      passes(length, arrangement, _, params = {}) {
        const stored = plan.outputLength(length, params);
        const passes = order.passes(length, arrangement, false, params);
        return length === 0
          ? []
          : [
              ...withRanges(passes, { output: taken }, { first_index: 0 }),
              store(last, taken, stored, { wanted: k }),
            ];
      },
    };
  }

  const { slots, slot } = slotted;
  const kernelFor = (source: SortSource, storesKeys: boolean): Kernel =>
    slotted.kernelFor(
      source === "items" ? { kind: "positions" } : { kind: "buffer", words: 1 },
      "chunks",
      source,
      storesKeys,
    );
  const kernelOf = {
    items: { last: kernelFor("items", false), other: most > slot ? kernelFor("items", true) : undefined },
    keys:
      most > slot
        ? { last: kernelFor("keys", false), other: kernelFor("keys", true) }
        : { last: undefined, other: undefined },
  } as const;
  const last = storeTakenKernel(type, false, sizes);
  // The keys and the positions of shorter rows, of which there are two in turns.
  const shorter = Math.min(maxLength, Math.ceil((2 * k * maxLength) / slot));
  const rowsOf = (turn: string) => ({
    keys: { name: `keys${turn}`, bytes: wholeWords(shorter * Math.max(4, keyBytes)), late: true },
    positions: { name: `positions${turn}`, bytes: wholeWords(shorter * 4), late: true },
  });
  const turns = [rowsOf(""), rowsOf(", in turn")] as const;
  return {
    ...plan,
    kernels: distinct([...Object.values(kernelOf.items), ...Object.values(kernelOf.keys), last]),
    scratch: [taken, ...(most > slot ? turns.flatMap((rows) => [rows.keys, rows.positions]) : [])],
    passes(length, _, __, params = {}) {
      const { columns = 0, segment_count: count = 0 } = params;
      if (columns > most && length > most) {
        throw new ArgumentError(
          `${title}: rows is ${columns}, and this was prepared for a maxSegmentLength of ${most}; rows must be at most ${most}`,
          "rows",
        );
      }
      if (length === 0) {
        return [];
      }
      const passes: Pass[] = [];
      for (let own = columns, level = 0; ; level++) {
        const chunks = Math.ceil(own / slot);
        const isLast = chunks === 1;
        const kernel = kernelOf[level === 0 ? "items" : "keys"][isLast ? "last" : "other"] as Kernel;
        const [into, from] = level % 2 === 0 ? turns : [turns[1], turns[0]];
        passes.push({
          kernel,
          bindings: bound(kernel, {
            input: level === 0 ? "input" : from.keys,
            output: into.keys,
            values: from.positions,
            reordered: isLast ? taken : into.positions,
          }),
          length: count * own,
          tiles: Math.ceil((count * chunks) / slots),
          params: {
            columns: own,
            chunk_rows: chunks,
            segment_count: count * chunks,
            wanted: k,
            first_index: 0,
          },
        });
        if (isLast) {
          break;
        }
        own = (chunks - 1) * k + Math.min(k, own - (chunks - 1) * slot);
      }
      return [...passes, store(last, taken, plan.outputLength(length, params), {})];
    },
  };
}
