import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import faults from "#shaders/device/look_back/faults_by_run.wgsl";
import { withoutComments } from "../scripts/modules.mjs";
import { operator } from "../src/algebra/custom_operator.ts";
import { exactAdd } from "../src/algebra/exact_add.ts";
import { f16, f32 } from "../src/algebra/floats.ts";
import { u32 } from "../src/algebra/integers.ts";
import type { Operator } from "../src/algebra/monoid.ts";
import { monoid as monoidOf } from "../src/algebra/monoid.ts";
import { i16, u8 } from "../src/algebra/narrow_types.ts";
import { add, max, min } from "../src/algebra/operators.ts";
import { struct } from "../src/algebra/struct.ts";
import type { ElementType } from "../src/algebra/types.ts";
import { f64, u64 } from "../src/algebra/types_64.ts";
import { numeric } from "../src/in_kernel/numeric.ts";
import { workGroupSort, workGroupSortPairs } from "../src/in_kernel/sort.ts";
import type { Algorithm } from "../src/kernels/algorithms.ts";
import { compactKernel, countKernel } from "../src/kernels/compact.ts";
import type { Kernel } from "../src/kernels/kernel.ts";
import { reduceKernel, scanKernel } from "../src/kernels/kernel.ts";
import { litmusKernel, litmusTests } from "../src/kernels/litmus.ts";
import { lookBackShape, lookBackSources } from "../src/kernels/look_back.ts";
import { blelloch, hillisSteele } from "../src/kernels/portable_tiles.ts";
import { slots } from "../src/kernels/slots.ts";
import { subgroup } from "../src/kernels/subgroup_tiles.ts";
import { planAppend } from "../src/plan/append_kept_items.ts";
import { reductionOf } from "../src/plan/arg_min_max.ts";
import { planColumns } from "../src/plan/columns.ts";
import { planCombine } from "../src/plan/combine_pairs.ts";
import { countWorkGroups } from "../src/plan/count_work_groups.ts";
import type { DeviceFacts } from "../src/plan/device_facts.ts";
import { planExpandRuns } from "../src/plan/expand_runs.ts";
import { withFasterWays } from "../src/plan/faster_ways.ts";
import { planGather } from "../src/plan/gather.ts";
import type { HistogramOptions } from "../src/plan/histogram.ts";
import { planHistogram } from "../src/plan/histogram.ts";
import { planNarrow } from "../src/plan/narrow.ts";
import type { Plan } from "../src/plan/plan.ts";
import { ALL_ARRANGEMENTS } from "../src/plan/plan.ts";
import type { ReduceOptions } from "../src/plan/reduce.ts";
import { planRows } from "../src/plan/rows.ts";
import { ALONE, FIRST_ITEMS } from "../src/plan/run_key.ts";
import type { LookBackTesting } from "../src/plan/scan.ts";
import { planNth, planTopK } from "../src/plan/select.ts";
import { planTopKRows } from "../src/plan/select_rows.ts";
import { planSort } from "../src/plan/sort.ts";
import { planSegmentSort } from "../src/plan/sort_segments.ts";
import { neededBy } from "../src/text/link.ts";
import { declared, parse, resolved } from "../src/text/module.ts";
import { piecesOf, tokensOf } from "../src/text/pieces.ts";
import type { Declaration, Parsed, Source, SourceText } from "../src/text/source.ts";
import { examplePlans } from "./support/example_plans.ts";
import { algorithmNames, untyped } from "./support/fold.ts";
import { allTypes, factsWith, inKernelFunctions } from "./support/kernels.ts";
import { failures, useNullDevice } from "./support/null_device.ts";
import { affine } from "./support/operators.ts";
import { planCompact, planPartition, planReduce, planScan } from "./support/plans.ts";

const device = useNullDevice();
const read = (path: string): string => readFileSync(new URL(`../shaders/${path}`, import.meta.url), "utf8");
const files = readdirSync(new URL("../shaders", import.meta.url), {
  recursive: true,
  encoding: "utf8",
}).filter((path) => path.endsWith(".wgsl"));

/** What no plan has: what shaders are written against. */
const isSample = (path: string): boolean => /^contract\.wgsl$|\/tile\.wgsl$/.test(path);

/** A struct of words, and an operator on it. */
function structOf(name: string, words: number): readonly [ElementType, Operator<string>] {
  const fields = Array.from({ length: words }, (_, at) => `f${at}`);
  const type = struct({ name, fields: Object.fromEntries(fields.map((field) => [field, u32] as const)) });
  const op = operator({
    name: "sum",
    type,
    identity: Object.fromEntries(fields.map((field) => [field, 0])),
    combine: "earlier",
    reference: (earlier) => earlier,
  });
  return [type as ElementType, op as unknown as Operator<string>];
}
const [wide, wideSum] = structOf("Wide", 16);
/** Four of its items are three vectors of 16 bytes. */
const [three, threeSum] = structOf("Three", 3);

/** Adapters whose kernels differ: by what is known of their subgroups, and a software one. */
interface Adapter extends Partial<DeviceFacts> {
  /** The algorithms of its plans, if not all of them. */
  readonly algorithms?: readonly Algorithm[];
  /** Whether only scans, reductions and compactions differ. */
  readonly onlyScans?: boolean;
}
const adapters: Readonly<Record<string, Adapter>> = {
  "full subgroups": { subgroupMinSize: 32, subgroupMaxSize: 32 },
  // The portable algorithms are those of the first.
  "without subgroup_id": {
    subgroupMinSize: 8,
    subgroupMaxSize: 32,
    subgroupIds: false,
    algorithms: ["subgroup"],
    onlyScans: true,
  },
  "subgroups that lack lanes": { algorithms: ["subgroup"], onlyScans: true },
  software: {
    software: true,
    vendor: "google",
    subgroupMinSize: 4,
    subgroupMaxSize: 4,
    lookBack: false,
    algorithms: ["blelloch", "subgroup"],
  },
};

/** What is summed: together they reach every shader. The kernels of other types and operators are compiled in test/kernels/. */
const sums: readonly (readonly [ElementType, Operator<string>])[] = [
  [u32, untyped(add)],
  [f32, untyped(add)],
  [u64, untyped(add)],
  [u64, untyped(max)],
  [wide, wideSum],
];

const few = sums.filter(([type]) => type === (u32 as ElementType) || type === wide);
const maxLength = 2 ** 20;

/** Scans, reductions and compactions, one by one: together they take gigabytes. */
async function* scansOf(
  facts: DeviceFacts,
  algorithms: readonly Algorithm[],
  bySubgroups: typeof sums,
): AsyncGenerator<Plan> {
  const testings: LookBackTesting[] = [{}, { tickets: false, faults }];
  for (const algorithm of algorithms) {
    const base = { algorithm, maxLength, workGroupSize: 64, itemsPerThread: 4 } as const;
    // How an algorithm goes does not depend on the numbers that are summed.
    for (const [type, op] of algorithm === "subgroup" ? bySubgroups : few) {
      const both = { ...base, type, op };
      yield* [planScan({ ...both, passes: "reduce-then-scan" }, facts)];
      yield* [planScan({ ...both, passes: "single", exclusive: true }, facts)];
      yield* [planReduce(both, facts), planReduce({ ...both, initial: true, lengthOnGpu: true }, facts)];
      for (const ends of [{ initial: true }, { total: true }, { initial: true, total: true }]) {
        yield* [planScan({ ...both, ...ends, maxLength: 9 }, facts)];
        for (const passes of ["single", "reduce-then-scan"] as const) {
          yield* [planScan({ ...both, ...ends, passes, exclusive: true, lengthOnGpu: true }, facts)];
        }
      }
      for (const passes of ["single", "reduce-then-scan"] as const) {
        yield* [planScan({ ...both, passes, reverse: true }, facts)];
      }
      yield* [planScan(both, facts, ["padded"]), planReduce(both, facts, ["padded"])];
      const onGpu = planScan({ ...both, passes: "reduce-then-scan", lengthOnGpu: true }, facts);
      yield* [onGpu.then((plan) => countWorkGroups(plan, true, facts))];
    }
    yield* [planScan({ ...base, type: three, op: threeSum, passes: "single" }, facts)];
    for (const from of [u8, i16]) {
      yield* [planScan({ ...base, from, type: from.wide, passes: "single" }, facts)];
    }
    for (const type of [u32, wide] as ElementType[]) {
      const op = type === u32 ? untyped(min) : wideSum;
      const mapped = { ...base, type, op, from: u32, map: type === u32 ? "x + i" : "Wide()" };
      yield* [planScan({ ...mapped, lengthOnGpu: true }, facts), planReduce(mapped, facts)];
      for (const testing of testings) {
        const single = { passes: "single", maxLength, algorithm, type } as const;
        yield* [planScan({ ...single, op }, facts, ALL_ARRANGEMENTS, testing)];
        yield* [planCompact(single, facts, ALL_ARRANGEMENTS, testing)];
      }
      yield* [planPartition({ ...base, type, where: "i % 3u == 1u" }, facts)];
      yield* [planPartition({ ...base, type, where: "i % 3u == 1u" }, facts, ["padded"])];
      yield* [planPartition({ ...base, type, classes: 5, class: "i % 5u" }, facts)];
      yield* [planPartition({ ...base, type, indices: true, lengthOnGpu: true }, facts)];
      for (const passes of ["single", "reduce-then-scan"] as const) {
        const kept = { ...base, type, passes };
        yield* [planPartition({ ...kept, where: "i % 3u == 1u", rest: true }, facts)];
        yield* [planCompact({ ...kept, where: "i % 3u == 1u" }, facts)];
        yield* [planCompact({ ...kept, where: "i % 3u == 1u" }, facts, ["padded"])];
        yield* [planCompact({ ...kept, where: "i > 1u", from: u32, map: mapped.map }, facts)];
        yield* [planCompact({ ...kept, indices: true, lengthOnGpu: true }, facts)];
        for (const indirect of [{ dispatch: { itemsPerWorkGroup: 64 } }, { draw: { vertexCount: 4 } }]) {
          yield* [planCompact({ ...kept, indirect }, facts)];
        }
      }
    }
  }
}

/** Plans that with {@link scansOf} take everything that a kernel can be made of. */
async function* othersOf(facts: DeviceFacts): AsyncGenerator<Plan> {
  yield* [planCompact({ type: f64, maxLength, where: "f16(x) < 1.0h" }, facts)];
  yield* [planCompact({ type: f32, maxLength, where: "x < 1.0", flags: true }, facts)];
  for (const type of [f16, f32, f64] as ElementType[]) {
    const options = { type, op: untyped(exactAdd), maxLength, workGroupSize: 16, itemsPerThread: 4 };
    for (const passes of ["single", "reduce-then-scan"] as const) {
      yield* [
        planScan({ ...options, passes }, facts),
        planScan({ ...options, passes, initial: true }, facts),
        // Runs that are too long for digits.
        planScan({ ...options, passes, itemsPerThread: 33 }, facts),
        planReduce(options, facts),
      ];
    }
  }
  for (const indirect of [{ dispatch: { itemsPerWorkGroup: 64 } }, { drawIndexed: { indexCount: 4 } }]) {
    const options = { type: u32, where: "x > 1u", maxLength, indirect };
    yield* [planCompact(options, facts).then((plan) => planAppend(options, plan, 4096, facts))];
  }
  for (const [type, weights] of [
    [u32, undefined],
    [f32, u32],
    [f16, u32],
    [f64, u32],
  ] as const) {
    for (const rule of [
      { bins: 7, range: [0, 1] },
      { bins: 7, range: [0, 14] },
      { edges: [0, 5, 9] },
      { bins: 7, bin: "i % 9u" },
      { bins: 2 ** 20, bin: "i" },
    ] as const) {
      const options = {
        type,
        ...rule,
        maxLength,
        ...(weights && { weights }),
      } as HistogramOptions;
      yield* [planHistogram(options, facts), planHistogram(options, facts, { runs: true })];
    }
  }
  for (const type of allTypes) {
    for (const call of ["argMin", "argMax"] as const) {
      yield* [planReduce({ ...reductionOf(call, type, u64), maxLength } as ReduceOptions, facts)];
    }
  }
  for (const type of [...allTypes, wide] as ElementType[]) {
    yield* examplePlans(type, maxLength, facts);
  }
  for (const type of [u8, i16] as ElementType[]) {
    const packed = { type, maxLength, where: "x > 3", lengthOnGpu: type === u8 };
    yield* [
      planNarrow({ ...packed, rest: true }, facts, (own) => planPartition(own, facts)),
      planNarrow(packed, facts, (own) => planPartition(own, facts)),
      planNarrow({ type, maxLength, lengthOnGpu: type === i16 }, facts, (own) => planSort(own, facts)),
    ];
  }
  // What is stored of an item of a run.
  for (const stores of [
    { indices: true },
    { ranks: true },
    { indices: true, ranks: true },
    { atPositions: true },
  ]) {
    yield* [planExpandRuns({ type: f32, maxLength, ...stores }, facts)];
  }
  for (const [at, type] of ([u32, f16, f64, wide] as ElementType[]).entries()) {
    const key = type === wide ? { key: "x.f0" } : {};
    for (const passes of ["single", "reduce-then-scan"] as const) {
      const algorithm = algorithmNames[at % algorithmNames.length] as (typeof algorithmNames)[number];
      const base = { type, ...key, algorithm, passes, workGroupSize: 64, itemsPerThread: 4 };
      const options = { ...base, maxLength, lengthOnGpu: at % 2 === 1 };
      const faulty = { tickets: true, fault: "late" } as const;
      yield* [
        planSort({ ...options, indices: true }, facts),
        planSort({ ...options, bits: [3, 11], ...(type === wide && { indices: true }) }, facts),
        planSort(options, facts, type === f64 ? f64 : u32, ALL_ARRANGEMENTS, faulty),
        ...(type === f64 ? [planSort(options, facts, f64, ALL_ARRANGEMENTS, { partBytes: 512 })] : []),
      ];
    }
    yield* [
      planSort({ type, ...key, maxLength: 500 }, facts, "positions"),
      ...(type === wide ? [] : [planSort({ type, maxLength: 500 }, facts)]),
      planGather({ type, maxLength }, facts, "sort", ["values", "reordered"]),
      ...(["rows", "offsets", "begins"] as const).flatMap((segments) =>
        [50, 1000, 1e6].map((maxSegmentLength) =>
          planSegmentSort(
            { type, ...key, maxLength, segments, maxSegmentLength, ...(type === wide && { indices: true }) },
            facts,
            type === f64 ? f64 : type === u32 && segments === "rows" ? undefined : "positions",
          ),
        ),
      ),
      ...[10, 1e4].map((k) => planTopKRows({ type, ...key, k, maxLength, segments: "rows" }, facts)),
      planTopK({ type, ...key, k: 100, maxLength, lengthOnGpu: at % 2 === 0 }, facts),
      planTopK({ type, ...key, k: 100, maxLength: 2 ** 12 }, facts),
      planTopK({ type, ...key, k: 9000, maxLength, passes: "single", smallest: true }, facts),
      planNth({ type, ...key, n: 100, maxLength, lengthOnGpu: at % 2 === 1 }, facts),
    ];
  }
  for (const [type, op] of sums) {
    const kinds = [
      "rows",
      "offsets",
      "begins",
      "heads",
      "headBits",
      { keys: u32 },
      { keys: f16 },
      { keys: wide },
      { keys: wide, key: "x.f0" },
      { keys: f16, key: "Wide()", keyType: wide },
      // Totals that count items are u32.
      ...(type === u32 ? ([{ keys: u32, key: "x / 2u", [FIRST_ITEMS]: true }] as const) : []),
    ] as const;
    const fewKinds = ["rows", "offsets", { keys: wide }] as const;
    for (const [at, segments] of (type === u32 ? kinds : fewKinds).entries()) {
      const algorithm = algorithmNames[at % algorithmNames.length] as (typeof algorithmNames)[number];
      const base = {
        type,
        op,
        maxLength,
        segments,
        algorithm,
        workGroupSize: 64,
        itemsPerThread: 4,
      } as const;
      for (const passes of ["single", "reduce-then-scan"] as const) {
        const unique = typeof segments === "object" ? { segments: { ...segments, unique: true } } : {};
        yield* [
          planScan({ ...base, passes }, facts),
          planScan({ ...base, passes, exclusive: true, initial: true, lengthOnGpu: true }, facts),
          planScan({ ...base, passes, reverse: true }, facts),
          planReduce({ ...base, passes }, facts),
          planReduce({ ...base, ...unique, passes, initial: at % 2 === 0 }, facts),
        ];
      }
    }
    const columns = { type, op, maxLength, segments: "columns", workGroupSize: 64 } as const;
    for (const primitive of ["scan", "reduce"] as const) {
      for (const options of [
        columns,
        { ...columns, exclusive: true, initial: true, lengthOnGpu: true },
        ...(type === u32 ? [{ ...columns, from: f32, map: "u32(x) + i" }] : []),
      ]) {
        const matrices = { ...options, segments: "matrices" };
        yield* [
          planColumns(primitive, options, withFasterWays(facts), ALL_ARRANGEMENTS),
          planColumns(primitive, matrices, withFasterWays(facts), ALL_ARRANGEMENTS),
        ];
        if (primitive === "scan") {
          const all = withFasterWays(facts);
          const reversed = { ...options, reverse: true };
          yield* [planColumns(primitive, { ...matrices, reverse: true }, all, ALL_ARRANGEMENTS)];
          const rows = planRows(primitive, { ...reversed, segments: "rows" }, all, ALL_ARRANGEMENTS);
          yield* [planColumns(primitive, reversed, all, ALL_ARRANGEMENTS), ...(rows ? [rows] : [])];
        }
        // Level by level, and by subgroups.
        for (const vendor of [facts.vendor, "nvidia"]) {
          const own = { ...facts, vendor, software: facts.software && vendor !== "nvidia" };
          const asRows = { ...options, segments: "rows" } as const;
          const rowPlan = planRows(primitive, asRows, withFasterWays(own), ALL_ARRANGEMENTS);
          yield* rowPlan ? [rowPlan] : [];
        }
      }
    }
  }
  for (const type of [u32, f64] as ElementType[]) {
    const options = { type, algorithm: "subgroup", maxLength, workGroupSize: 64, itemsPerThread: 4 } as const;
    const compared = { compared: [[maxLength, 8, 64]] } as const;
    yield* [planSort({ type, maxLength }, facts, undefined, ["items"], compared)];
    const rows = { type, maxLength, segments: "rows", maxSegmentLength: 16 } as const;
    const network = { short: 0, network: 16, networkThreads: 4, networkItems: 4 } as const;
    yield* [planSegmentSort(rows, facts, undefined, ["items"], network)];
    for (const planted of [{}, { disorder: 2 }]) {
      yield* [
        planSort(options, facts, undefined, ["items"], { ...planted, byArrival: true }),
        planSort(options, facts, "positions", ["items"], { ...planted, byMarks: true }),
      ];
    }
  }
  const runFacts = {
    ...facts,
    features: new Set(["subgroups", "shader-f16"]),
    subgroupMinSize: 32,
    subgroupMaxSize: 32,
  };
  // Segments by flags, bits and keys.
  const byKey = { keys: u32, key: "x / 2u" };
  const flags = ["offsets", "begins", "heads", "headBits"];
  const own = { type: u32, op: untyped(add), maxLength };
  for (const segments of [...flags, { keys: u32 }, byKey]) {
    yield* [planScan({ ...own, segments } as never, facts)];
  }
  const reductions = [
    ...[...flags, { keys: u32, unique: true }, { ...byKey, unique: true }].map((segments) => ({ segments })),
    { map: "1u", segments: { ...byKey, unique: true, [FIRST_ITEMS]: true } },
  ];
  for (const more of reductions) {
    yield* [planReduce({ ...own, ...more } as never, facts)];
  }
  // Reductions that only find runs.
  for (const [segments, options] of [
    [{ keys: u32, unique: true }, { map: "1u" }],
    [
      { keys: u32, unique: true, [ALONE]: "keys" },
      { map: "1u", lengthOnGpu: true },
    ],
    [
      { keys: f16, [ALONE]: "totals" },
      { map: "i", op: min },
    ],
    [{ keys: u32, unique: true, key: "x / 2u", [FIRST_ITEMS]: true }, { map: "1u" }],
  ] as const) {
    const base = { type: u32, maxLength, segments, algorithm: "subgroup", passes: "single" } as const;
    yield* [planReduce({ ...base, ...options } as never, runFacts)];
  }
  // Reductions by offsets whose tiles search for their first segments, or read them.
  for (const most of [maxLength, 2 ** 26]) {
    const options = { type: u32, maxLength: most, algorithm: "subgroup", passes: "single" } as const;
    const limits = { ...facts.limits, maxStorageBufferBindingSize: 2 ** 30, maxBufferSize: 2 ** 30 };
    for (const segments of ["offsets", "begins"]) {
      yield* [planReduce({ ...options, segments } as never, { ...runFacts, limits })];
    }
  }
  // Scans of rows in tiles of items, by an operator that keeps its operands in order.
  const inOrder = { type: u32, op: untyped(affine), maxLength, segments: "rows", passes: "single" } as const;
  yield* [planScan({ ...inOrder, algorithm: "subgroup" } as never, runFacts)];
  // Scans of segments whose threads hold values without heads.
  for (const segments of ["heads", "headBits", { keys: u32 }]) {
    for (const op of [affine, add]) {
      const flat = { ...inOrder, op: untyped(op), segments, algorithm: "subgroup", workGroupSize: 64 };
      yield* [planScan(flat as never, runFacts)];
    }
  }
  // Items to keep whose votes threads hold, and whose votes lie in work-group memory.
  for (const itemsPerThread of [4, 20]) {
    const votes = { algorithm: "subgroup", passes: "single", workGroupSize: 64, itemsPerThread } as const;
    const kept = { type: u32, maxLength, where: "i % 3u == 1u", ...votes } as const;
    yield* [planCompact(kept, runFacts), planPartition({ ...kept, rest: true }, runFacts)];
  }
  yield* [planCombine({ type: u32, op: untyped(add), maxLength }, facts)];
}

/** A kernel, and what it is linked from. */
interface Linked {
  readonly title: string;
  readonly code: string;
  readonly entryPoint: string;
  /** The files of `shaders/` that it is linked from. */
  readonly files: ReadonlySet<string>;
}
/** The texts of all kernels. */
const texts = new Set<string>();
/** Those that have a declaration which none before them has. */
const kernels: Linked[] = [];
/** By file, the lines that are in some kernel, counted from 1. */
const reached = new Map<string, Set<number>>();
/** Matches loops that are marked to be written out, and stay loops. */
const MARKED = /< (\w+); .*\/\/ unroll$/gm;
/**
 * Whether elements are too long for a thread to hold several, and are combined by an algorithm, not by tiles of their own. A scatter combines
 * those with the same position as a segment.
 */
const combinesTooLong = ({ title, kernels, groupingOf }: Plan): boolean => {
  // Histograms and scatters combine runs of positions.
  if (/^(scatter|histogram)/.test(title) && kernels.some(({ label }) => label.includes("f64, exactAdd"))) {
    return true;
  }
  const { algorithm, passes } = title.includes("f64, exactAdd") ? groupingOf("vectors") : {};
  return algorithm === "subgroup" || passes === "single";
};

/** The bounds of such loops in kernels for GPUs. */
const loops = new Set<string>();
/** The contracts that kernels were linked with. */
const contracts = new Set<string>();

/** Sources with each line's number in a comment, each read once: most kernels share most of their files. */
const numbered = new WeakMap<SourceText, SourceText>();
const origins: { readonly name: string; readonly line: number }[] = [];
function numberedOf(source: SourceText): SourceText {
  if (!source.name.startsWith("shaders/")) {
    return source;
  }
  let own = numbered.get(source);
  if (own === undefined) {
    const lines = source.text.split("\n").map((text, at) => {
      const number = origins.push({ name: source.name, line: at + 1 }) - 1;
      return text.trim() === "" ? text : `${text} // line ${number}`;
    });
    own = { ...source, text: lines.join("\n") };
    numbered.set(source, own);
  }
  return own;
}

/** The declarations of kernels whose lines are in `reached`. Most kernels have no others. */
const seen = new Set<string>();

/** A declaration's code, without the words, the numbers and the vectors in it, which may be other ones; calls may be left out. */
const shapeOf = ({ text }: { readonly text: string }): string =>
  tokensOf(text)
    .flatMap(([token, blank, word]) =>
      blank ? [] : [word === undefined && /\D/.test(token[0] ?? "") ? token : "\0"],
    )
    .join("")
    .replace(/\0<\0>/g, "\0")
    .replace(/\0+\(/g, "(");

/** By folder, the names that its files declare and that files of other folders, or generated texts, refer to in some kernel. */
const calledNames = new Map<string, Set<string>>();

/** The folder of shaders/ that a source lies in, such as `device/io`; "" for other texts. */
const folderOf = (source: Source | undefined): string =>
  source !== undefined && "text" in source ? (/^shaders\/(.+)\/.*$/.exec(source.name)?.[1] ?? "") : "";

/** Whether a declaration has a variable or a parameter of this name. */
const hasLocal = ({ text }: Declaration, name: string): boolean =>
  new RegExp(`\\b(?:let|var|const) ${name}\\b|[(,]\\s*${name}:`).test(text);

/** The folders of declarations, of all sources that were met. */
const folders = new Map<Declaration, string>();
const metSources = new Set<Source>();

function noteFolders(sources: readonly Source[]): void {
  for (const source of sources.filter((one) => !metSources.has(one))) {
    metSources.add(source);
    for (const declaration of declared([source]).declarations) {
      folders.set(declaration, folderOf(source));
    }
  }
}

function noteCalls({ entryPoint, sources }: Kernel): void {
  noteFolders(sources);
  const [, needed] = neededBy(entryPoint, sources);
  const byName = new Map(needed.map((one) => [one.name, folders.get(one)]));
  for (const one of needed) {
    for (const name of one.references) {
      const folder = byName.get(name);
      const called = calledNames.get(folder ?? "");
      if (folder && folder !== folders.get(one) && !called?.has(name) && !hasLocal(one, name)) {
        calledNames.set(folder, (called ?? new Set()).add(name));
      }
    }
  }
}

function take(kernel: Kernel): void {
  const { code, label, entryPoint, relink } = kernel;
  if (texts.has(code)) {
    return;
  }
  texts.add(code);
  noteCalls(kernel);
  const before = seen.size;
  for (const declaration of code.split("\n\n")) {
    seen.add(declaration);
  }
  if (seen.size === before) {
    return;
  }
  const linked = new Set<string>();
  const text = relink((source) => {
    if (source.name === "generated contract") {
      contracts.add(source.text);
    }
    if (source.name.startsWith("shaders/")) {
      linked.add(source.name);
    }
    return numberedOf(source);
  });
  kernels.push({ title: label, code, entryPoint, files: linked });
  for (const [, number] of text.matchAll(/ \/\/ line (\d+)$/gm)) {
    const { name, line } = origins[Number(number)] as (typeof origins)[number];
    reached.set(name, (reached.get(name) ?? new Set()).add(line));
  }
}

/** The type that a kernel is for, as its label says it; the label where it says none. */
const typeOf = ({ title }: Linked): string => /<(\w+)/.exec(title)?.[1] ?? title;

/** Kernels that between them have each entry point, and each file twice: for two types, where there are two. */
function coverOf(all: readonly Linked[]): ReadonlySet<Linked> {
  const typesOf = new Map<string, Set<string>>();
  for (const one of all) {
    for (const file of one.files) {
      typesOf.set(file, (typesOf.get(file) ?? new Set()).add(typeOf(one)));
    }
  }
  const cover = new Set<Linked>();
  const entryPoints = new Set<string>();
  const taken = new Map<string, string[]>();
  const lacks = (file: string, type: string): boolean => {
    const [first, second] = taken.get(file) ?? [];
    return first === undefined || (second === undefined && (first !== type || typesOf.get(file)?.size === 1));
  };
  // Those that have the most of what is lacking come first.
  for (let least = Math.max(...all.map((one) => one.files.size)); least > 0; least--) {
    for (const one of all) {
      const type = typeOf(one);
      const lacking = [...one.files].filter((file) => lacks(file, type));
      if (!cover.has(one) && (lacking.length >= least || !entryPoints.has(one.entryPoint))) {
        cover.add(one);
        entryPoints.add(one.entryPoint);
        for (const file of lacking) {
          taken.set(file, [...(taken.get(file) ?? []), type]);
        }
      }
    }
  }
  return cover;
}

describe("the kernels of every plan", () => {
  beforeAll(async () => {
    for (const { algorithms = algorithmNames, onlyScans, ...changes } of Object.values(adapters)) {
      const facts = factsWith(changes, { maxComputeWorkgroupStorageSize: 32768 });
      // Nor do subgroups without numbers or lanes add in another way.
      const scans = scansOf(facts, algorithms, onlyScans ? few : sums);
      for (const plans of [scans, onlyScans ? [] : othersOf(facts)]) {
        for await (const plan of plans) {
          plan.kernels.forEach(take);
          if (!facts.software && !combinesTooLong(plan)) {
            for (const [, bound = ""] of plan.kernels.flatMap(({ code }) => [...code.matchAll(MARKED)])) {
              loops.add(bound);
            }
          }
        }
      }
    }
    for (const one of litmusTests) {
      take(litmusKernel(one, { workGroupSize: 64, testers: 32 }));
    }
  }, 600_000);

  test("every shader is used by a plan, an in-kernel function or a litmus test", () => {
    const inKernel = [
      ...algorithmNames.flatMap((algorithm) =>
        // Lanes of some types are added up, and compared, by instructions.
        (algorithm === "subgroup" ? [u32, f16, f32, f64] : [u32]).flatMap((type) =>
          [add, max].flatMap((op) => inKernelFunctions(type as ElementType, untyped(op), algorithm)),
        ),
      ),
      // With 20 items, their loops stay as they are in the files.
      workGroupSort({ type: u32, items: 20, workGroupSize: 32 }),
      workGroupSortPairs({ type: u32, values: u32, items: 20, workGroupSize: 32 }),
      workGroupSortPairs({ type: u32, values: f16, items: 20, workGroupSize: 32 }),
    ];
    const shapes = new Set(
      [...inKernel, ...allTypes.filter((type) => type.files.some(({ as }) => as)).map(numeric)]
        .flatMap(({ pieces }) => pieces)
        .map(shapeOf),
    );
    const isUsed = (path: string): boolean =>
      reached.has(`shaders/${path}`) ||
      piecesOf(read(path).replaceAll(" // unroll", "")).every(
        (one) => one.name === "" || shapes.has(shapeOf(one)),
      );
    expect(files.filter((path) => !isSample(path) && !isUsed(path))).toEqual([]);
  });

  test("everything that a file of shaders/device/ or shaders/litmus/ declares is reached by some kernel", () => {
    const missed = files
      .filter((path) => /^(device|litmus)\//.test(path) && !isSample(path))
      .flatMap((path) => {
        const text = read(path);
        return parse(text).declarations.flatMap(({ name, keyword }) => {
          const head = new RegExp(`^(?:@.*\\) )?${keyword}\\b(?:<.*?>)? *${name}\\b`, "m");
          const line = text.slice(0, text.search(head)).split("\n").length;
          return reached.get(`shaders/${path}`)?.has(line) ? [] : [`${path}: ${name}`];
        });
      });
    expect(missed).toEqual([]);
  });

  test("loops that are marked are written out for GPUs, but over many words, and where elements are too long to hold several", () => {
    expect(["ELEMENT_WORDS", "EXACT_WORDS", "VECTOR"]).toEqual(expect.arrayContaining([...loops]));
  });

  test("slots.ts has the names that are called of each slot's folder, and no others", () => {
    const called = new Map([...calledNames].map(([folder, names]) => [folder, [...names].sort()]));
    // It is a library, of which operators and conversions take what they need.
    called.delete("numeric");
    const listed = Object.entries(slots).map(
      ([folder, { roles }]) => [folder, roles.flatMap(([, names]) => names.split(" ")).sort()] as const,
    );
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(called));
  });

  test("there are hundreds of kernels", () => {
    expect(texts.size).toBeGreaterThan(500);
  });

  test("of kernels that have each file twice, all compile", async () => {
    const cover = [...coverOf(kernels)];
    const once = [...reached.keys()].filter((file) => !cover.some((one) => one.files.has(file)));
    expect(once).toEqual([]);
    expect(await failures(device(), cover)).toEqual([]);
  });

  test("contract.wgsl is valid, and has the functions that are generated, as they are", async () => {
    const text = read("contract.wgsl");
    expect(await failures(device(), [{ title: "contract.wgsl", code: text }])).toEqual([]);
    const contract = signaturesOf(text);
    // What only in-kernel functions are written against has the caller's type in a kernel of ours.
    for (const name of [
      "element_from_value",
      "value_from_element",
      "value_from_exclusive",
      "counter_update",
      "allocation_capacity",
      "bits_from_key",
      "key_from_bits",
      "sort_order",
    ]) {
      expect(contract.delete(name), name).toBe(true);
    }
    const generated = new Set<string>();
    for (const one of contracts) {
      for (const [name, signature] of signaturesOf(one)) {
        if (contract.has(name)) {
          generated.add(name);
          expect(signature, name).toBe(contract.get(name));
        }
      }
    }
    expect([...contract.keys()].filter((name) => !generated.has(name))).toEqual([]);
  });
});

test("the check can fail", async () => {
  const code = read("contract.wgsl").replace("earlier + later", "earlier + 1.5f");
  expect(await failures(device(), [{ title: "broken", code }])).not.toEqual([]);
});

/** The functions of a text, each with the types that it takes and returns. */
const signaturesOf = (text: string): Map<string, string> =>
  new Map(
    Array.from(
      text.matchAll(/^fn (\w+)\(([^{]*?)\)( -> [^{]*?)? \{/gm),
      ([, name = "", parameters = "", result]) => [
        name,
        `(${parameters.replace(/(@[^)]*\) )?\w+: /g, "").replace(/,?\s*$/, "")})${result ?? ""}`,
      ],
    ),
  );

const sizes = {
  workGroupSize: 64,
  items: 4,
  unrolled: true,
  minSubgroupSize: 32,
  maxSubgroupSize: 32,
};

const portableThreads = { sizes, subgroupIds: true };
const sumOfU32 = monoidOf(untyped(add), u32 as ElementType, "test");

/** The sources of every algorithm that a tile may be scanned by. */
const tileSources = (): [title: string, sources: readonly SourceText[]][] => [
  ["blelloch", blelloch(portableThreads)(sumOfU32)],
  ["hillis-steele", hillisSteele(portableThreads)(sumOfU32)],
  ...[32, 128].flatMap((maxSubgroupSize) =>
    [false, true].flatMap((subgroupIds) =>
      [f64, f32, u32, u64].flatMap((type) =>
        [add, max].flatMap((op) =>
          [{}, { isAwaited: true }, { votes: true }].map((traits): [string, readonly SourceText[]] => {
            const threads = { sizes: { ...sizes, maxSubgroupSize }, subgroupIds };
            const monoid = monoidOf(untyped(op), type as ElementType, "test");
            return [
              `subgroup: ${op.name} ${type.name} of at most ${maxSubgroupSize}, ${subgroupIds}, ${Object.keys(traits)}`,
              subgroup(threads)(monoid, traits),
            ];
          }),
        ),
      ),
    ),
  ),
];

/** What the first line of a loop that is written out looks like: `unroll` counts its tokens. */
const WRITTEN_OUT = /^ *for \(var (\w+) = \d+u; \1 < [A-Z]\w*; \1\+\+\) \{ \/\/ unroll$/;
const wronglyMarked = (path: string, text: string): string[] =>
  text
    .split("\n")
    .map((line, at) => [line, at + 1] as const)
    .filter(([line]) => line.includes("// unroll") && !WRITTEN_OUT.test(line))
    .map(
      ([line, number]) =>
        `${path}:${number}: a loop that is marked "// unroll" begins "for (var item = 0u; item < ITEMS; item++) { // unroll", with a constant's name as its bound, and not "${line.trim()}"`,
    );

// Tiles of exact sums have items of their own types.
test.each(Object.entries(slots).filter(([folder]) => folder !== "exact"))(
  "files of %s that others call by the same name take and return the same types",
  (folder, { roles }) => {
    const called = new Set(roles.flatMap(([, names]) => names.split(" ")));
    const signatures = new Map<string, string>();
    for (const path of files.filter((file) => file.startsWith(`${folder}/`) && !isSample(file))) {
      for (const [name, found] of signaturesOf(read(path))) {
        // What counts items is called with elements that are u32.
        const signature = found.replaceAll("Element", "u32");
        if (called.has(name)) {
          expect(signature, `${path}: ${name}`).toBe(signatures.get(name) ?? signature);
          signatures.set(name, signature);
        }
      }
    }
  },
);

test("each loop that is marked to be written out can be", () => {
  expect(files.flatMap((path) => wronglyMarked(path, read(path)))).toEqual([]);
  for (const bound of ["2u * ITEMS", "4u", "ITEMS - 1u"]) {
    const [told = "", ...more] = wronglyMarked(
      "a.wgsl",
      `fn f() {\n  for (var k = 0u; k < ${bound}; k++) { // unroll\n  }\n}`,
    );
    expect(more).toEqual([]);
    expect(told).toContain(`a.wgsl:2: a loop that is marked "// unroll" begins "for (var item = 0u; `);
    expect(told).toContain(`and not "for (var k = 0u; k < ${bound}; k++) { // unroll"`);
  }
});

test("every algorithm of a tile has the interface of tile.wgsl", () => {
  const text = read("device/tiles/tile.wgsl");
  const tile = signaturesOf(text);
  expect(tile.size).toBe(8);
  for (const [title, sources] of tileSources()) {
    const { declarations } = resolved(sources);
    const own = signaturesOf(declarations.map((one) => one.text.replace(/^(\/\/.*\n)+/, "")).join("\n"));
    for (const [name, signature] of tile) {
      expect(own.get(name), `${title}: ${name}`).toBe(signature);
    }
    const structs = new Map(declarations.map((one) => [one.name, one.text]));
    expect(structs.get("TileScan"), title).toMatch(/^ {2}total: Element,$/m);
    expect(structs.get("Invocation"), title).toMatch(/^ {2}@builtin/m);
  }
});

test("kernels take nothing of a tile but its interface", () => {
  const inTiles = files.filter((path) => path.startsWith("device/tiles/"));
  const internal = new Set(inTiles.flatMap((path) => parse(read(path)).declarations.map(({ name }) => name)));
  for (const { name } of parse(read("device/tiles/tile.wgsl")).declarations) {
    internal.delete(name);
  }
  const used = files
    .filter((path) => path.startsWith("device/") && !inTiles.includes(path))
    // Votes, pairs of lanes and rows of segments are of a subgroup's lanes; subgroups alone reduce in any order, and hold words.
    .filter(
      (path) =>
        !/(look_back_votes|rank_(kept_)?by_(votes|arrival)|store_by_pairs|write_pair_\w+|run_lengths|store_together|take_tile_of_words|reduce_offsets|reduce\/several_tiles|scan_flat_segments|segments\/(values|scan_lanes|flat_\w+)|first_segment_searched|rows\/\w*subgroups)\.wgsl$/.test(
          path,
        ),
    )
    .flatMap((path) => parse(read(path)).declarations.flatMap(({ references }) => [...references]))
    .filter((name) => internal.has(name));
  expect(used).toEqual([]);
});

test("kernels of tile.wgsl compile", async () => {
  const name = "device/tiles/tile.wgsl";
  const monoid = monoidOf(untyped(add), u32 as ElementType, "test");
  const options = {
    algorithm: "blelloch",
    sources: () => [{ name, text: read(name) }],
    sizes: { ...sizes, workGroupSize: 1 },
    lengthOnGpu: false,
    arrangement: "vectors",
  } as const;
  const scan = { ...options, exclusive: false, side: "items" } as const;
  const shape = lookBackShape(options);
  const lookBack = lookBackSources(monoid, shape, { patience: 10, tickets: true });
  const entry = "device/kernels/scan_single_pass.wgsl";
  const kept = {
    ...options,
    type: u32 as ElementType,
    selector: { by: "where", where: "x > i", flags: false },
    indices: false,
  } as const;
  const made = [
    scanKernel(monoid, { ...scan, carry: true }),
    scanKernel(monoid, { ...scan, carry: [{ name: entry, text: read(entry) }, ...lookBack] }),
    reduceKernel(monoid, { ...options, input: "items", output: "elements", arrangement: "vectors" }),
    countKernel(monoid, kept),
    compactKernel(monoid, { ...kept, carry: "spine", mostWorkGroups: 100 }),
  ];
  expect(
    await failures(
      device(),
      made.map(({ label, code }) => ({ title: label, code })),
    ),
  ).toEqual([]);
});

test.each(files)("%s has a header, names files that exist, and has no tab or trailing space", (path) => {
  const text = read(path);
  expect(text).toMatch(/^\/\/ \S/);
  expect(text).not.toMatch(/\t| $/m);
  // A star stands for some letters: carry_*.wgsl.
  const named = text.match(/[\w*/]+\.wgsl/g) ?? [];
  const isThere = (name: string): boolean =>
    files.some((file) => new RegExp(`(^|/)${name.replaceAll("*", "\\w*")}$`).test(file));
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});

let declaredNames: ReadonlySet<string> | undefined;
const names = (): ReadonlySet<string> => {
  declaredNames ??= new Set(files.flatMap((path) => parse(read(path)).declarations.map(({ name }) => name)));
  return declaredNames;
};

/** What a text declares, with its lines of code, and which other declarations these refer to. */
const codeOf = ({ declarations }: Parsed) =>
  declarations.map(({ text, references, ...one }) => ({
    ...one,
    references: [...references].filter((name) => names().has(name) && name !== one.name).sort(),
    lines: text
      .split("\n")
      .map((line) => (line.endsWith("// unroll") ? line : line.replace(/\s*\/\/.*/, "")))
      .filter((line) => line.trim() !== "" && !line.startsWith("const_assert ")),
  }));

test.each(files)("%s without comments is the same code on the same lines", (path) => {
  const text = read(path);
  const bare = withoutComments(text);
  expect(bare).not.toMatch(/\/\/(?! unroll$| replaces: )/m);
  expect(codeOf(parse(bare))).toEqual(codeOf(parse(text)));
  const lines = text.split("\n");
  bare.split("\n").forEach((line, at) => {
    expect(lines[at]?.startsWith(line)).toBe(true);
  });
});
