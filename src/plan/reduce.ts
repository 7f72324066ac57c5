import type { ByKind } from "../adapters/adapter.ts";
import { tableFor } from "../adapters/adapter.ts";
import { reduction as gpu } from "../adapters/gpu.ts";
import { reduction as nvidia } from "../adapters/nvidia.ts";
import { reduction as software } from "../adapters/software.ts";
import type { ReductionTable, TuningRow } from "../adapters/tables.ts";
import type { Operator } from "../algebra/monoid.ts";
import { monoid as monoidOf } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Side } from "../kernels/contract.ts";
import { elementsOfVector } from "../kernels/contract.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { isApart, isWide, reduceKernel } from "../kernels/kernel.ts";
import type { TileSources } from "../kernels/tiles.ts";
import { chooseSizes, groupingOf, requireMaxLength, rowOf, tileOf } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { MapOptions } from "./map.ts";
import type { Methods } from "./methods.ts";
import type { AnyOperator, EndOptions, SegmentOptions, SoonOption, TuningOptions } from "./options.ts";
import type { Bindable, Pass, Plan, Scratch } from "./plan.ts";
import { ALL_ARRANGEMENTS, bound, distinct, itemBytesOf, perArrangement, spineLengths } from "./plan.ts";
import type { Continued, LookBackTesting } from "./scan.ts";
import { planScan, spineLevelsOf, vectorOf } from "./scan.ts";

const tables: ByKind<ReductionTable> = { software, nvidia, gpu };

/** The options of `prepareReduce`. */
export interface ReduceOptions<Name extends string = string>
  extends TuningOptions,
    MapOptions,
    SegmentOptions,
    SoonOption,
    Pick<EndOptions, "initial"> {
  /** The type of the elements that are combined, and of the output. */
  readonly type: ElementType<Name>;
  /** The operator. The default is `add`. */
  readonly op?: Operator<NoInfer<Name>>;
  /** The most items of a recording: a whole number from 0 up. It sets the size of the scratch. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/**
 * Plans a reduction. It reduces tiles to totals, and reduces these totals again, until one is left.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planReduce(
  options: AnyOperator<ReduceOptions> & Continued,
  facts: DeviceFacts,
  methods: Methods,
  arrangements: readonly Arrangement[] = ALL_ARRANGEMENTS,
  testing: LookBackTesting = {},
): Plan {
  const { type, op = add, lengthOnGpu = false } = options;
  const own = monoidOf(op, type, "reduce");
  const title = `reduce<${own.title}>`;
  const segments = methods.segmentsOf?.(options, title, own, facts, true);
  if (segments !== undefined) {
    return (
      segments.runLengths?.(options, methods, testing) ??
      // The totals of segments are among the prefixes.
      planScan(options, facts, methods, arrangements.filter(isApart), testing, segments)
    );
  }
  const ends = methods.endsOf?.(options, title, own);
  const monoid = ends?.monoid ?? own;
  const { domain } = monoid;
  const map = methods.mapOf?.(options, type, title, facts.features);
  const loaded = map?.from ?? type;
  const usual = rowOf(methods.twoPassTables, "reduce", domain, options, facts, methods);
  const { positions, takesMoreNarrowItems } = tableFor(tables, facts);
  // Elements of two words of a key, a position and 0. A tuning, which times sums, does not apply to them.
  const isEntry = monoid.leading !== undefined && domain.elementBytes === 16;
  const row: TuningRow = {
    ...usual,
    ...(isEntry && methods.algorithms.subgroup && positions),
  };
  const isNarrow = takesMoreNarrowItems && loaded.bytes < type.bytes && row.algorithm === "subgroup";
  const isOrdered = monoid.operation === undefined && monoid.leading === undefined;
  const sized = isNarrow
    ? { ...row, items: row.items * (isOrdered && options.maxLength > 2 ** 25 ? 3 : 2) }
    : row;
  const tuning = chooseSizes(sized, title, type, domain, options, facts, methods);
  const maxLength = requireMaxLength(title, options.maxLength, loaded.bytes, facts.limits);
  const tile = tileOf(tuning);
  // A dispatch cannot read a buffer that it writes. So if input and output share one, the result goes through the spine.
  const detour = arrangements.some((one) => one === "one-buffer" || one === "in-place");
  const levels = spineLengths(maxLength, tile);
  const spineLevels = levels.length === 0 && detour ? [1] : levels;

  const kernelOf = (
    input: Side,
    output: Side,
    arrangement: Arrangement,
    sources: TileSources = tuning.sources,
  ): Kernel =>
    reduceKernel(monoid, {
      ...tuning,
      sources,
      // Only the first pass reads the caller's items, so only it reads their length from a buffer.
      lengthOnGpu: lengthOnGpu && input === "items",
      input,
      output: options.carried ? "elements" : output,
      arrangement,
      map,
      ends: output === "items" ? ends : undefined,
    });
  const only = perArrangement(arrangements.filter(isApart), (arrangement) =>
    kernelOf("items", "items", arrangement),
  );
  // With a spine there are three kernels: from the items, between its levels, and to the result.
  const first =
    spineLevels.length > 0
      ? perArrangement(arrangements, (arrangement) => kernelOf("items", "elements", arrangement))
      : undefined;
  // Our own buffers are padded.
  const isPadded = arrangements.includes("padded");
  const between = isPadded ? "padded" : "items";
  const last = kernelOf("elements", "items", between);
  const middle = kernelOf("elements", "elements", between);

  const totals = spineLevelsOf(spineLevels, monoid.domain.elementBytes, {
    vector: isPadded ? elementsOfVector(monoid, tuning.sizes.items) : 1,
  }).map((level) => level.totals);

  const plan: Plan = {
    title,
    maxLength,
    vector: vectorOf(loaded, tuning),
    kernels: distinct([
      ...only.all,
      ...(first === undefined ? [] : [...first.all, last]),
      ...(levels.length > 1 ? [middle] : []),
    ]),
    scratch: totals,
    ...(ends?.initial && { initial: ends.initial }),
    needs: new Set([
      "input",
      "output",
      ...(lengthOnGpu ? (["length"] as const) : []),
      ...(ends?.needs ?? []),
    ] as const),
    itemBytes: itemBytesOf(loaded.bytes, type.bytes),
    indirectWords: 0,
    outputLength: () => 1,
    // By vectors if possible. If the result lies on the input, it goes through the spine.
    variants: (["vectors", "items"] as const)
      .filter((one) => arrangements.includes(one))
      .flatMap((arrangement) => (detour ? [false, true] : [false]).map((aside) => ({ arrangement, aside }))),
    groupingOf: (arrangement) => groupingOf(tuning, isWide(arrangement) ? vectorOf(loaded, tuning) : 1),
    passes(length, arrangement, aside = false) {
      const pass = (kernel: Kernel, from: Bindable, to: Bindable, items: number): Pass => ({
        kernel,
        bindings: bound(kernel, { input: from, output: to, length_buffer: "length", initial: "initial" }),
        length: items,
        tiles: Math.max(1, Math.ceil(items / tile)),
      });
      const used = spineLengths(length, tile);
      if (first === undefined || (used.length === 0 && !aside)) {
        return [pass(only.of(arrangement), "input", "output", length)];
      }
      const through = used.length === 0 ? [1] : used;
      const at = (level: number): Scratch => totals[level] as Scratch;
      return [
        pass(first.of(arrangement), "input", at(0), length),
        ...through.slice(1).map((_, level) => pass(middle, at(level), at(level + 1), through[level] ?? 0)),
        pass(last, at(through.length - 1), "output", through.at(-1) ?? 0),
      ];
    },
  };
  const once = methods.reduceOnce?.(
    plan,
    monoid,
    tuning,
    (sources) => kernelOf("items", "items", "vectors", sources),
    options,
    facts,
    testing,
  );
  return once ?? plan;
}
