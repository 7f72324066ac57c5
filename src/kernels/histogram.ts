import amountOne from "#shaders/device/histogram/amount_one.wgsl";
import amountWeights from "#shaders/device/histogram/amount_weights.wgsl";
import binDivided from "#shaders/device/histogram/bin_divided.wgsl";
import binEstimated from "#shaders/device/histogram/bin_estimated.wgsl";
import binSearched from "#shaders/device/histogram/bin_searched.wgsl";
import binsWords from "#shaders/device/histogram/bins_words.wgsl";
import channelInTurn from "#shaders/device/histogram/channel_in_turn.wgsl";
import channelSingle from "#shaders/device/histogram/channel_single.wgsl";
import channelStored from "#shaders/device/histogram/channel_stored.wgsl";
import countersChannels from "#shaders/device/histogram/counters_channels.wgsl";
import countersNone from "#shaders/device/histogram/counters_none.wgsl";
import countersWords from "#shaders/device/histogram/counters_words.wgsl";
import tallyChannels from "#shaders/device/histogram/tally_channels.wgsl";
import tallyEach from "#shaders/device/histogram/tally_each.wgsl";
import tallyItems from "#shaders/device/histogram/tally_items.wgsl";
import tallyRuns from "#shaders/device/histogram/tally_runs.wgsl";
import clearBins from "#shaders/device/kernels/clear_bins.wgsl";
import histogram from "#shaders/device/kernels/histogram.wgsl";
import storeBins from "#shaders/device/kernels/store_bins.wgsl";
import search from "#shaders/device/search/search.wgsl";
import tableKeys from "#shaders/device/search/table_keys.wgsl";
import { expressionFiles, typeFiles } from "../algebra/expression_files.ts";
import { hex } from "../algebra/literals.ts";
import type { DeclaredParams, ParamsSeen } from "../algebra/seen_params.ts";
import type { ScalarType } from "../algebra/types.ts";
import type { Source, SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { carriedAs, conversion, itemsOfVector, valueFromItem, vectorText } from "./contract.ts";
import type { Arrangement, Kernel } from "./kernel.ts";
import { inputFor, isWide, lengthFile, linkKernel, packedUnless } from "./kernel.ts";
import { keySources, keyText } from "./ordered_keys.ts";
import type { Sizes } from "./sizes.ts";
import { textFunction } from "./text_function.ts";

/** How a kernel finds an item's bin. */
export type BinRule =
  /** Whole numbers from a lowest key on; `span` is how far the last one is from it. */
  | { readonly by: "division"; readonly low: bigint; readonly span: bigint; readonly width: bigint }
  /** The number of lower edges in a table. The upper end of the last bin is in it, too. */
  | {
      readonly by: "search";
      readonly edges: number;
      readonly high: bigint;
      /** The lowest value and the bins per unit, if bins are even enough to estimate one. */
      readonly estimate?: { readonly low: bigint | number; readonly scale: number } | undefined;
    }
  /** The caller's WGSL over `x` and `i`. */
  | { readonly by: "text"; readonly text: string };

/** Items of several channels, each of which has bins of its own. */
export interface Channels {
  readonly count: number;
  /** Whether items have their channels in turn, or a pass before has stored their numbers. */
  readonly by: "turn" | "number";
}

/** What a kernel of a histogram is generated for. */
export interface HistogramKernelOptions extends ParamsSeen {
  readonly type: ScalarType;
  readonly bins: number;
  readonly rule: BinRule;
  readonly channels: Channels | undefined;
  /** Whether items have weights, u32 or i32, which are added in place of 1. */
  readonly weighed: boolean;
  readonly arrangement: Arrangement;
  readonly lengthOnGpu: boolean;
  readonly sizes: Sizes;
  /** Counters of a work-group for each bin; 0 if threads add to the bins. */
  readonly copies: number;
  /** Whether a thread adds up the items that fall in one bin one after another. */
  readonly runs: boolean;
}

const f32Text = (value: number): string =>
  `bitcast<f32>(${hex(new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0)})`;

/** `bin_of` for an item and its index. */
function binSources(type: ScalarType, rule: BinRule, params: DeclaredParams | undefined): readonly Source[] {
  if (rule.by === "text") {
    return [
      generated(
        [
          valueFromItem(type),
          "fn bin_of(item: Input, index: u32) -> u32 {",
          "  return bin_of_value(value_from_item(item), index + call.first_index);",
          "}",
        ].join("\n"),
      ),
      ...textFunction({
        name: "bin_of_value",
        title: "the bin",
        text: rule.text,
        parameters: { x: type, i: "u32" },
        result: "class",
        params,
      }),
    ];
  }
  if (rule.by === "division") {
    const shift = rule.width.toString(2).length - 1;
    return [
      ...keySources(type),
      generated(
        [
          `const LOW_KEY = ${keyText(type, rule.low)};`,
          `const SPAN = ${hex(Number(rule.span))};`,
          conversion(
            "distance_in_bins",
            "u32",
            "u32",
            rule.width === 1n << BigInt(shift) ? `x >> ${shift}u` : `x / ${rule.width}u`,
          ),
        ].join("\n"),
      ),
      binDivided,
    ];
  }
  const { edges, high, estimate } = rule;
  return [
    ...keySources(type),
    generated(
      [
        `const HIGH_KEY = ${keyText(type, high)};`,
        `const EDGES = ${edges}u;`,
        ...(estimate ? [estimateText(type, estimate.low, estimate.scale)] : []),
      ].join("\n"),
    ),
    tableKeys,
    ...(estimate ? [binEstimated] : [search, binSearched]),
  ];
}

/** `estimate_of` an item: about the number of its bin. */
function estimateText(type: ScalarType, low: bigint | number, scale: number): string {
  const distance =
    typeof low === "bigint"
      ? `f32(key_of(x) - ${keyText(type, low)})`
      : `(${type.name === "f16" ? "f32(x)" : "bitcast<f32>(x)"} - ${f32Text(low)})`;
  return conversion(
    "estimate_of",
    "Input",
    "u32",
    `u32(clamp(${distance} * ${f32Text(scale)}, 0.0, f32(BINS)))`,
  );
}

const channelFiles = { turn: channelInTurn, number: channelStored } as const satisfies Record<
  Channels["by"],
  SourceText
>;

/** The kernel that adds what falls in each bin to the bins. */
export function histogramKernel(options: HistogramKernelOptions): Kernel {
  const { type, bins, rule, channels, weighed, arrangement, lengthOnGpu, sizes, copies, runs } = options;
  const vector = isWide(arrangement) ? itemsOfVector(type.bytes, sizes.items) : 1;
  return linkKernel(
    `wavefold histogram <${type.name}>`,
    "histogram",
    [
      generated(
        [
          `alias Input = ${carriedAs(type)};`,
          "alias Amount = u32;",
          `const BINS = ${bins}u;`,
          `const COPIES = ${copies}u;`,
          `const COUNTERS = ${bins * (channels?.count ?? 1) * copies}u;`,
          ...(channels ? [`const CHANNELS = ${channels.count}u;`] : []),
          vectorText(carriedAs(type), undefined, vector),
        ].join("\n"),
      ),
      ...(rule.by === "text" ? expressionFiles : typeFiles)(type),
      ...binSources(type, rule, options.params),
      // In two dimensions, the data is not this kernel's input.
      ...inputFor(arrangement, packedUnless(type, channels?.by === "number")),
      lengthFile(lengthOnGpu),
      weighed ? amountWeights : amountOne,
      ...(channels ? [tallyChannels, channelFiles[channels.by]] : [tallyItems]),
      runs ? tallyRuns : tallyEach,
      ...(channels && copies > 0 ? [countersChannels] : []),
      copies > 0 ? countersWords : countersNone,
      binsWords,
      histogram,
    ],
    sizes,
    { vector },
  );
}

/** What {@link storeBinsKernel} is generated for. */
export interface StoreBinsOptions
  extends Pick<
    HistogramKernelOptions,
    "type" | "bins" | "rule" | "channels" | "lengthOnGpu" | "sizes" | "params"
  > {
  /** As {@link ElementType.packed} of the items. */
  readonly packed: ScalarType["packed"];
}

/** The kernel that stores the number of each item's bin among those of all channels. */
export const storeBinsKernel = ({
  type,
  bins,
  rule,
  channels,
  packed,
  lengthOnGpu,
  sizes,
  params,
}: StoreBinsOptions): Kernel =>
  linkKernel(
    `wavefold store bins <${type.name}>`,
    "store_bins",
    [
      generated(
        [
          `alias Input = ${carriedAs(type)};`,
          `const BINS = ${bins}u;`,
          `const CHANNELS = ${channels?.count ?? 1}u;`,
          vectorText(carriedAs(type), undefined, 1),
        ].join("\n"),
      ),
      ...(rule.by === "text" ? expressionFiles : typeFiles)(type),
      ...binSources(type, rule, params),
      ...inputFor("items", packed),
      lengthFile(lengthOnGpu),
      channels ? channelFiles[channels.by] : channelSingle,
      storeBins,
    ],
    sizes,
  );

/** The kernel that sets all bins to zero. */
export const clearBinsKernel = (sizes: Sizes): Kernel =>
  linkKernel("wavefold clear bins", "clear_bins", [clearBins], sizes);
