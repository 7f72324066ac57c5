import type { ByKind } from "../adapters/adapter.ts";
import { tableFor, traitsOf } from "../adapters/adapter.ts";
import { histogram as gpu } from "../adapters/gpu.ts";
import { histogram as nvidia } from "../adapters/nvidia.ts";
import { histogram as software } from "../adapters/software.ts";
import type { HistogramRow } from "../adapters/tables.ts";
import { paramsIn } from "../algebra/seen_params.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { refuse } from "../errors.ts";
import { itemsOfVector } from "../kernels/contract.ts";
import { clearBinsKernel, histogramKernel } from "../kernels/histogram.ts";
import { requireCode } from "../text/callers.ts";
import { ruleOf } from "./bin_rule.ts";
import { requireBindable } from "./binding_length.ts";
import type { BinOptions } from "./bins.ts";
import { requireBins } from "./bins.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { plainSizes, ungrouped } from "./one_dispatch_plan.ts";
import type { ParamsOption, TuningOptions } from "./options.ts";
import type { Pass, Plan, Scratch } from "./plan.ts";
import { bound, distinct, itemBytesOf, perArrangement } from "./plan.ts";
import { requireScalar } from "./require_scalar.ts";

/** The types of weights, and of their sums. */
export type WeightName = "u32" | "i32" | "f32";

/** The sizes of a histogram's kernel. */
export type HistogramTuning = Pick<TuningOptions, "workGroupSize" | "itemsPerThread">;

/** The options of `prepareHistogram`. It takes `edges`, or `bins` and `range`, or `bins` and `bin`. */
export interface HistogramOptions<Name extends string = string>
  extends HistogramTuning,
    BinOptions,
    ParamsOption {
  /** The type of the items. */
  readonly type: ElementType<Name>;
  /**
   * The type of the weights, if recordings take a weight for each item: u32, i32 or f32. The output then has sums of this type
   * instead of counts. Sums of f32 are added in an order that differs from run to run.
   */
  readonly weights?: ElementType<WeightName>;
  /** The most items of a recording: a whole number from 0 up. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

const tables: ByKind<HistogramRow> = { software, nvidia, gpu };

/** How the items may lie. They are in another buffer than the bins. */
const ARRANGEMENTS = ["vectors", "items"] as const;

/** @throws {ArgumentError} for weights of another type than WGSL can add atomically or exchange. */
export function requireWeights(weights: unknown, title: string): WeightName | undefined {
  if (weights === undefined) {
    return undefined;
  }
  const { name, kind } = requireType(weights, `${title}: weights`, "weights");
  if (kind === "struct" || (name !== "u32" && name !== "i32" && name !== "f32")) {
    refuse(title, "weights", `of ${name}`, "weights of u32, i32 or f32");
  }
  return name;
}

/** @throws {ArgumentError} for a `bin` that is no WGSL. */
export function requireBinText({ bin }: BinOptions, title: string): void {
  if (bin !== undefined) {
    requireCode(title, "bin", bin, "a WGSL expression over the item x and its index i that gives a number");
  }
}

/**
 * Plans a histogram: it sets the bins to zero, and then adds to them what the work-groups counted.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planHistogram(
  options: HistogramOptions,
  facts: DeviceFacts,
  testing: Partial<HistogramRow> = {},
): Plan {
  const { lengthOnGpu = false } = options;
  const type = requireScalar(options.type, "histogram");
  const title = `histogram<${type.name}>`;
  const bins = requireBins(options, type, title);
  requireBinText(options, title);
  const weights = requireWeights(options.weights, title);
  const { limits } = facts;
  const known = tableFor(tables, facts);
  const row = { ...(facts.tuned?.histogramOf(known, type.bytes, options.maxLength) ?? known), ...testing };
  const { unrolled, ...others } = plainSizes(row, title, type, options, facts);
  const isLong = options.bin !== undefined && type.native.long === true;
  const sizes = { ...others, unrolled: unrolled && (traitsOf(facts).unrollsLong || !isLong) };
  requireBindable(`${title}: bins`, bins.count, 4, limits, "bins");
  const itemBytes = weights === undefined ? type.bytes : Math.max(type.bytes, 4);
  const maxLength = requireMaxLength(title, options.maxLength, itemBytes, limits);
  const { rule, table } = ruleOf(bins, type);
  const bytesOfCopy = bins.count * 4;
  const counterBytes = Math.min(row.counterBytes, limits.maxComputeWorkgroupStorageSize);
  // As many copies as there is room for: a power of two. One copy may take all the memory that there is.
  const copies =
    bytesOfCopy > limits.maxComputeWorkgroupStorageSize
      ? 0
      : 2 ** Math.floor(Math.log2(Math.max(1, Math.min(row.copies, counterBytes / bytesOfCopy))));
  const clear = clearBinsKernel(sizes);
  const kernels = perArrangement(ARRANGEMENTS, (arrangement) =>
    histogramKernel({
      type,
      bins: bins.count,
      rule,
      weights,
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
    title,
    maxLength,
    vector: itemsOfVector(type.bytes, sizes.items),
    kernels: distinct([clear, ...kernels.all]),
    scratch: edges === undefined ? [] : [edges],
    needs: new Set([
      "input",
      "output",
      ...(weights === undefined ? [] : (["weights"] as const)),
      ...(lengthOnGpu ? (["length"] as const) : []),
    ] as const),
    itemBytes: itemBytesOf(type.bytes, 4),
    indirectWords: 0,
    outputLength: () => bins.count,
    variants: ARRANGEMENTS.map((arrangement) => ({ arrangement })),
    groupingOf: ungrouped(title),
    passes(length, arrangement) {
      const kernel = kernels.of(arrangement);
      const passes: Pass[] = [
        {
          kernel: clear,
          bindings: { cleared: "output" },
          length: bins.count,
          tiles: Math.ceil(bins.count / sizes.workGroupSize),
        },
      ];
      if (length > 0) {
        passes.push({
          kernel,
          bindings: bound(kernel, {
            input: "input",
            bins: "output",
            weights: "weights",
            length_buffer: "length",
            ...(edges && { table: edges }),
          }),
          length,
          tiles: Math.min(row.workGroups, Math.ceil(length / (sizes.workGroupSize * sizes.items))),
        });
      }
      return passes;
    },
  };
}
