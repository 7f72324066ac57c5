import { tablesFor } from "../adapters/adapter.ts";
import type { HistogramRow } from "../adapters/tables.ts";
import { u32 } from "../algebra/integers.ts";
import type { DeclaredParams } from "../algebra/seen_params.ts";
import { paramsIn } from "../algebra/seen_params.ts";
import type { ElementType, ScalarType } from "../algebra/types.ts";
import { itemsOfVector } from "../kernels/contract.ts";
import type { Channels } from "../kernels/histogram.ts";
import { clearBinsKernel, histogramKernel, storeBinsKernel } from "../kernels/histogram.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { requireCode } from "../text/callers.ts";
import { ruleOf } from "./bin_rule.ts";
import type { WeighedOptions, Weights } from "./bin_weights.ts";
import { requireWeights } from "./bin_weights.ts";
import { requireBindable } from "./binding_length.ts";
import type { Binned, BinnedOptions, BinOptions, Bins } from "./bins.ts";
import { requireBinned } from "./bins.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { DeviceFacts, Limits } from "./device_facts.ts";
import type { ParamsOption, TuningOptions } from "./options.ts";
import { ofItems, passOver, plainSizes } from "./plain_plan.ts";
import type { Bindings, Pass, Plan, Scratch } from "./plan.ts";
import {
  bound,
  distinct,
  itemTypesOf,
  perArrangement,
  rangesTaken,
  TWO_BUFFERS,
  wholeWords,
} from "./plan.ts";
import { requireScalar } from "./require_scalar.ts";

/** The sizes of a histogram's kernel. */
export type HistogramTuning = Pick<TuningOptions, "workGroupSize" | "itemsPerThread">;

/** The options of `prepareHistogram`. It takes `edges`, or `bins` and `range`, or `bins` and `bin`. */
export interface HistogramOptions<Name extends string = string, Weight extends string = string>
  extends HistogramTuning,
    BinOptions,
    BinnedOptions,
    WeighedOptions<Weight>,
    ParamsOption {
  /** The type of the items. */
  readonly type: ElementType<Name>;
  /**
   * The type of the weights, if recordings take a weight for each item: any scalar type. The output then has sums of this type instead of
   * counts, of weights of 8 and 16 bits those of 32 bits.
   */
  readonly weights?: ElementType<Weight>;
  /** For two dimensions: the type of `y`, of which recordings take an item for each item. */
  readonly y?: ElementType;
  /** The most items of a recording: a whole number from 0 up. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** @throws {ArgumentError} for a `bin` that is no WGSL. */
export function requireBinText({ bin }: BinOptions, title: string): void {
  if (bin !== undefined) {
    requireCode(
      title,
      "bin",
      bin,
      'a WGSL expression over the item x and its index i that gives a number, such as "x / 10"',
    );
  }
}

/** A work-group's counters for each bin: as many as there is room for, a power of two; or 0. One for each may take all the memory that there is. */
export function copiesFor(
  bins: number,
  { copies, counterBytes }: HistogramRow,
  { maxComputeWorkgroupStorageSize: most }: Limits,
): number {
  const bytes = bins * 4;
  const fitting = Math.min(copies, Math.min(counterBytes, most) / bytes);
  return bytes > most ? 0 : 2 ** Math.floor(Math.log2(Math.max(1, fitting)));
}

/** The sizes of histograms. */
export const histogramRow = (facts: DeviceFacts): HistogramRow => tablesFor(facts).histogram;

/** What the plans of histograms have in common. */
export interface CheckedHistogram {
  readonly title: string;
  readonly type: ScalarType;
  readonly typeOfY: ScalarType | undefined;
  readonly binned: Binned;
  readonly weights: Weights | undefined;
}

/** Checks the options. @throws {ArgumentError} */
export function checkedHistogram(options: HistogramOptions): CheckedHistogram {
  const type = requireScalar(options.type, "histogram");
  const title = `histogram<${type.name}>`;
  const typeOfY = options.y === undefined ? undefined : requireScalar(options.y, title, "y");
  const binned = requireBinned(options, type, typeOfY, title);
  requireBinText(options, title);
  return { title, type, typeOfY, binned, weights: requireWeights(options, title) };
}

/**
 * Plans a histogram whose bins threads add to by atomics: it sets the bins to zero, and then adds to them what the work-groups counted.
 * src/plan/histogram_scattered.ts plans those of other weights.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planHistogram(
  options: HistogramOptions,
  facts: DeviceFacts,
  testing: Partial<HistogramRow> = {},
  { title, type, typeOfY, binned, weights }: CheckedHistogram = checkedHistogram(options),
): Plan {
  const { lengthOnGpu = false } = options;
  const { bins, y, count } = binned;
  const { limits } = facts;
  const known = histogramRow(facts);
  const row = { ...(facts.tuned?.histogramOf(known, type.bytes, options.maxLength) ?? known), ...testing };
  const sizes = plainSizes(row, title, type, options, facts);
  requireBindable(`${title}: bins`, count, 4, limits, "bins");
  // In two dimensions, the numbers of bins are stored for each item.
  const otherBytes = weights === undefined && y === undefined ? 0 : 4;
  const itemBytes = Math.max(type.bytes, typeOfY?.bytes ?? 0, otherBytes);
  const maxLength = requireMaxLength(title, options.maxLength, itemBytes, limits);
  const counted = countedOf(binned, type, typeOfY);
  const { rule, table } = ruleOf(counted.bins, counted.type);
  const stored = y && firstBins(bins, type, { lengthOnGpu, sizes, maxLength, params: paramsIn(options) });
  const copies = copiesFor(count, row, limits);
  const clear = clearBinsKernel(sizes);
  // Vectors are loaded of the input alone.
  const arrangements = y ? (["items"] as const) : TWO_BUFFERS;
  const kernels = perArrangement(arrangements, (arrangement) =>
    histogramKernel({
      type: counted.type,
      bins: counted.bins.count,
      rule,
      channels: counted.channels,
      weighed: weights !== undefined,
      arrangement,
      lengthOnGpu,
      sizes,
      copies,
      runs: testing.runs ?? (row.runs || copies < row.fewCopies),
      params: paramsIn(options),
    }),
  );
  const edges: Scratch | undefined = table && { name: "edges", bytes: table.byteLength, filled: table };
  return {
    ...ofItems(title, maxLength, arrangements),
    vector: y ? 1 : itemsOfVector(type.bytes, sizes.items),
    kernels: distinct([clear, stored?.kernel, ...kernels.all]),
    scratch: [...(edges ? [edges] : []), ...(stored?.scratch ?? [])],
    needs: rangesTaken({ input: true, output: true, weights, y, length: lengthOnGpu }),
    itemTypes: {
      ...itemTypesOf(type, u32),
      ...(typeOfY && { y: typeOfY }),
      ...(weights && { weights: weights.itemType }),
    },
    outputLength: () => count,
    passes(length, arrangement) {
      const kernel = kernels.of(arrangement);
      const passes: Pass[] = [
        {
          kernel: clear,
          bindings: { cleared: "output" },
          length: count,
          tiles: Math.ceil(count / sizes.workGroupSize),
        },
      ];
      if (length > 0) {
        if (stored) {
          passes.push(stored.pass(length));
        }
        passes.push({
          kernel,
          bindings: bound(kernel, {
            input: y ? "y" : "input",
            bins: "output",
            weights: "weights",
            length_buffer: "length",
            ...(edges && { table: edges }),
            ...(stored && { stored_bins: stored.numbers }),
          }),
          length,
          tiles: Math.min(row.workGroups, Math.ceil(length / (sizes.workGroupSize * sizes.items))),
        });
      }
      return passes;
    },
  };
}

/** Items of which the bins are found. */
interface Counted {
  readonly bins: Bins;
  readonly type: ScalarType;
  readonly channels: Channels | undefined;
}

/** What the kernel counts: the data, with its channels; or in two dimensions `y`, with the bins of the data as its channels. */
export function countedOf(
  { bins, channels, y }: Binned,
  type: ScalarType,
  typeOfY: ScalarType | undefined,
): Counted {
  if (y && typeOfY) {
    return { bins: y, type: typeOfY, channels: { count: bins.count, by: "number" } };
  }
  return { bins, type, channels: channels === undefined ? undefined : { count: channels, by: "turn" } };
}

/** What a pass that stores numbers of bins is made for. */
interface StoredBinsOptions {
  readonly lengthOnGpu: boolean;
  readonly sizes: Sizes;
  readonly maxLength: number;
  readonly params: DeclaredParams | undefined;
}

/** The pass that stores the number of the bin of each item of the data in two dimensions, and its scratch. */
export const firstBins = (bins: Bins, type: ScalarType, given: StoredBinsOptions) =>
  storedBins({ bins, type, channels: undefined }, given, {
    input: "input",
    packed: undefined,
    of: " of the first dimension",
  });

/** The pass that stores the numbers of items' bins among those of all channels, and its scratch. `numbers` are channels that another pass has stored. */
export function storedBins(
  { bins, type, channels }: Counted,
  given: StoredBinsOptions,
  {
    input,
    packed,
    numbers: stored,
    of = "",
  }: {
    readonly input: "input" | "y";
    readonly packed: ScalarType["packed"];
    readonly numbers?: Scratch | undefined;
    readonly of?: string;
  },
) {
  const { maxLength } = given;
  const { rule, table } = ruleOf(bins, type);
  const kernel = storeBinsKernel({ ...given, type, bins: bins.count, rule, channels, packed });
  const numbers: Scratch = { name: `numbers of bins${of}`, bytes: wholeWords(maxLength * 4) };
  const edges: Scratch | undefined = table && {
    name: `edges${of}`,
    bytes: table.byteLength,
    filled: table,
  };
  const bindings: Bindings = {
    input,
    length_buffer: "length",
    bin_numbers: numbers,
    ...(edges && { table: edges }),
    ...(stored && { stored_bins: stored }),
  };
  return {
    kernel,
    numbers,
    scratch: [numbers, ...(edges ? [edges] : [])],
    pass: (length: number): Pass => passOver(kernel, length, bindings),
  };
}
