import { exactAdd } from "../../../src/algebra/exact_add.ts";
import { f16, f32 } from "../../../src/algebra/floats.ts";
import { u32 } from "../../../src/algebra/integers.ts";
import { add, min } from "../../../src/algebra/operators.ts";
import { f64 } from "../../../src/algebra/types_64.ts";
import { saturatingSum } from "../../../src/plan/expand_runs.ts";
import { ALONE, FIRST_ITEMS } from "../../../src/plan/run_key.ts";
import { choicesOf } from "../../fuzz/described_arguments.ts";
import { countExamples } from "../../support/example_plans.ts";
import { allTypes } from "../../support/kernels.ts";
import { mapRows } from "../../support/maps.ts";
import { withHelp } from "../../support/primitives.ts";
import type { Axis, Options } from "./mixes.ts";
import { axis, mixes, product, titleOf } from "./mixes.ts";
import type { Planner } from "./planners.ts";
import * as planners from "./planners.ts";
import { everyType, keyOf, scalarSums, someSums, structSums, wordOf } from "./types.ts";

/** Options of a primitive, which every adapter plans. */
export interface OptionSet {
  /** The primitive, a colon, and the options. */
  readonly title: string;
  readonly options: Options;
  readonly plan: Planner;
}

const setsOf = (primitive: string, plan: Planner, sets: readonly Options[]): OptionSet[] =>
  sets.map((options) => ({ title: `${primitive}: ${titleOf(options)}`, options, plan }));

const plain = { maxLength: 2 ** 20 };
const types = axis("type", everyType);
const lengths = axis("maxLength", [2 ** 20, 2 ** 20, 2 ** 20, 9, 300, 2 ** 14, 2 ** 24]);
const algorithms = axis("algorithm", [undefined, undefined, "subgroup", "blelloch", "hillis-steele"]);
const passes = axis("passes", [undefined, "single", "single", "reduce-then-scan"]);
const onGpu = axis("lengthOnGpu", [undefined, undefined, true]);
const exclusive = axis("exclusive", [undefined, true]);
const reverse = axis("reverse", [true]);
const indices = axis("indices", [undefined, undefined, true]);
const initial = axis("initial", [undefined, undefined, true]);
const plainSizes: Axis = [
  {},
  {},
  {},
  { workGroupSize: 64, itemsPerThread: 4 },
  { workGroupSize: 32, itemsPerThread: 8 },
  { workGroupSize: 96, itemsPerThread: 3 },
  { workGroupSize: 256, itemsPerThread: 16 },
];
const tunings = [...plainSizes, { workGroupSize: 100, itemsPerThread: 1 }, { itemsPerThread: 33 }];
const ends: Axis = [
  {},
  {},
  { initial: true },
  { total: true },
  { initial: true, total: true },
  { initial: true, continued: true, carried: true },
];

/** Adds what depends on the type of the options. */
const withTyped = (sets: readonly Options[], more: (options: Options) => Options): Options[] =>
  sets.map((options) => ({ ...options, ...more(options) }));

const exactSums = product(
  axis("type", [f16, f32, f64]),
  axis("op", [exactAdd]),
  axis("passes", ["single", "reduce-then-scan"]),
  [{ workGroupSize: 16, itemsPerThread: 4 }, { workGroupSize: 16, itemsPerThread: 33 }, {}],
).map((options) => ({ ...plain, ...options }));

const mapped = mapRows.map(({ from, type, op, map }) => ({ from, type, op, map, ...plain }));

const everySum = [...scalarSums, ...structSums].map((sum) => ({ ...sum, ...plain }));

const scans = [
  ...setsOf("scan", planners.recorded("scan"), [
    ...product(everySum, axis("passes", ["single", "reduce-then-scan"])),
    ...mixes(190, someSums, lengths, algorithms, passes, onGpu, exclusive, ends, tunings),
    ...product(mapped, [
      { passes: "single" },
      { passes: "reduce-then-scan", initial: true, lengthOnGpu: true },
    ]),
    ...exactSums,
    { type: u32, op: saturatingSum, ...plain },
  ]),
  ...setsOf("scan in reverse", planners.recorded("scan"), [
    ...mixes(60, someSums, lengths, algorithms, passes, onGpu, exclusive, ends, tunings, reverse),
    ...product(mapped, reverse),
    ...product(exactSums, reverse),
  ]),
  ...setsOf("scan at hand", planners.atHand("scan"), [
    ...someSums.map((sum) => ({ ...sum, ...plain })),
    ...mixes(40, someSums, lengths, algorithms, passes, exclusive, ends, tunings),
    ...mapped,
  ]),
];

const reductions = [
  ...setsOf("reduce", planners.recorded("reduce"), [
    ...everySum,
    ...mixes(90, someSums, lengths, algorithms, passes, onGpu, initial, tunings),
    ...product(mapped, [{ passes: "single" }]),
    ...exactSums,
  ]),
  ...setsOf("reduce at hand", planners.atHand("reduce"), [
    ...mixes(40, someSums, lengths, algorithms, passes, initial, tunings),
  ]),
  ...setsOf(
    "arg",
    planners.argMinMax,
    product(axis("call", ["argMin", "argMax"]), axis("type", allTypes), [plain]),
  ),
  ...setsOf(
    "combine",
    planners.combine,
    someSums.map((sum) => ({ ...sum, ...plain })),
  ),
];

/** A choice of items by their values. Half of the sets take flags instead. */
const kept = (options: Options): Options => ({
  where: `${wordOf(planners.typeOf(options))} % 3u == 1u && i != 7u`,
});
const indirects = axis("indirect", [
  undefined,
  undefined,
  { dispatch: { itemsPerWorkGroup: 64 } },
  { draw: { vertexCount: 4 } },
  { drawIndexed: { indexCount: 6 } },
]);
const compactions = [types, lengths, algorithms, passes, onGpu, indices, plainSizes] as const;
const classes = axis("classes", [2, 5, 16]);

const choices = [
  ...setsOf("compact", planners.recorded("compact"), [
    ...withTyped(mixes(70, ...compactions, indirects), kept),
    ...mixes(40, ...compactions, indirects),
    ...product([{ type: u32, from: f32, map: "u32(x) + i", where: "x > 0.5" }], [plain], passes.slice(1)),
  ]),
  ...setsOf("compact at hand", planners.atHand("compact"), [
    ...withTyped(mixes(30, types, lengths, algorithms, passes, indices, plainSizes), kept),
  ]),
  ...setsOf(
    "compact in windows",
    planners.appended,
    withTyped(product(axis("type", [u32, f64]), indirects.slice(1), [plain]), kept),
  ),
  ...setsOf("partition", planners.recorded("partition"), [
    ...withTyped(mixes(50, ...compactions, axis("rest", [undefined, true])), kept),
    ...mixes(16, ...compactions, axis("rest", [undefined, true])),
    ...withTyped(mixes(40, types, lengths, algorithms, onGpu, indices, classes, plainSizes), (options) => ({
      class: `${wordOf(planners.typeOf(options))} % 5u`,
    })),
  ]),
  ...setsOf(
    "partition at hand",
    planners.atHand("partition"),
    withTyped(mixes(20, types, lengths, algorithms, indices), kept),
  ),
];

const [words16] = structSums.filter(({ type }) => type.name === "Words16").map(({ type }) => type);
const segmentKinds = axis("segments", [
  "rows",
  "rows",
  "offsets",
  "heads",
  "headBits",
  { keys: u32 },
  { keys: f16 },
  { keys: f64 },
  { keys: words16 },
  { keys: words16, key: "x.f0" },
  { keys: u32, key: "x / 2u", keyType: u32 },
]);
const gaps = axis("segments", ["begins"]);
/** Columns take no algorithm, and are not read in a single pass. */
const columns = [someSums, lengths, axis("segments", ["columns"]), onGpu, initial, plainSizes] as const;
/** An axis between others: the columns of matrices. */
const middle = [someSums, lengths, axis("segments", [{ shape: [4, 16, 16], axis: 1 }]), onGpu] as const;

/** Segments that are found once, in the calls that count or list runs. */
const runs: readonly Options[] = [
  { segments: { keys: u32, unique: true }, map: "1u" },
  { segments: { keys: u32, unique: true, [ALONE]: "keys" }, map: "1u", lengthOnGpu: true },
  { segments: { keys: f16, [ALONE]: "totals" }, map: "i", op: min },
  { segments: { keys: u32, unique: true, key: "x / 2u", [FIRST_ITEMS]: true }, map: "1u" },
  { segments: { keys: f64, unique: true }, map: "1u", from: f64 },
];

const segmented = [
  ...setsOf(
    "scan segments",
    planners.recorded("scan"),
    mixes(170, someSums, lengths, segmentKinds, algorithms, passes, onGpu, exclusive, initial, plainSizes),
  ),
  ...setsOf("scan segments", planners.recorded("scan"), mixes(20, ...columns, exclusive)),
  ...setsOf("scan segments in reverse", planners.recorded("scan"), [
    ...mixes(40, someSums, lengths, segmentKinds, algorithms, passes, onGpu, exclusive, plainSizes, reverse),
    ...mixes(10, ...columns, exclusive, reverse),
  ]),
  ...setsOf("scan an axis", planners.recorded("scan"), mixes(10, ...middle, initial, exclusive, reverse)),
  ...setsOf("reduce an axis", planners.recorded("reduce"), mixes(6, ...middle, initial)),
  ...setsOf("reduce segments", planners.recorded("reduce"), [
    ...mixes(20, ...columns),
    ...mixes(130, someSums, lengths, segmentKinds, algorithms, passes, onGpu, initial, plainSizes),
    ...product(
      [{ type: u32, op: add, ...plain, unique: undefined }],
      axis("segments", [{ keys: u32, unique: true }]),
      passes,
    ),
    { type: u32, op: add, segments: "offsets", passes: "single", algorithm: "subgroup", maxLength: 2 ** 26 },
  ]),
  ...setsOf("scan between gaps", planners.recorded("scan"), [
    ...mixes(24, someSums, lengths, gaps, algorithms, passes, onGpu, exclusive, initial, plainSizes),
    ...mixes(12, someSums, lengths, gaps, algorithms, passes, onGpu, exclusive, plainSizes, reverse),
  ]),
  ...setsOf("reduce between gaps", planners.recorded("reduce"), [
    ...mixes(24, someSums, lengths, gaps, algorithms, passes, onGpu, initial, plainSizes),
    { type: u32, op: add, segments: "begins", passes: "single", algorithm: "subgroup", maxLength: 2 ** 26 },
  ]),
  ...setsOf(
    "runs",
    planners.recorded("reduce"),
    product([{ type: u32, ...plain }], runs, [
      {},
      { passes: "single", algorithm: "subgroup" },
      { passes: "reduce-then-scan" },
    ]),
  ),
];

/** A struct is sorted by its key, and gives positions. */
const keyed = (options: Options): Options => {
  const key = keyOf(planners.typeOf(options));
  return key === undefined ? {} : { key, indices: true };
};
const descending = axis("descending", [undefined, undefined, true]);
const moved = axis("moved", [undefined, undefined, u32, f64, f16, "positions"]);
const bits = axis("bits", [undefined, undefined, undefined, [3, 11], [0, 16]]);
const sortSizes = plainSizes.filter(({ itemsPerThread }) => itemsPerThread !== 3);

const sorts = [
  ...setsOf("sort", planners.sort, [
    ...withTyped(mixes(110, types, lengths, moved, descending, bits, passes), keyed),
    ...withTyped(mixes(50, types, lengths, moved, onGpu, algorithms, passes, sortSizes), keyed),
    ...product(axis("type", allTypes), [{ maxLength: 2 ** 26 }], axis("moved", [undefined, u32, f64])),
    ...product(axis("type", allTypes), [
      { indices: true, ...plain },
      { anyDigits: true, ...plain },
    ]),
  ]),
  ...setsOf(
    "sort between gaps",
    planners.sort,
    withTyped(
      mixes(16, types, gaps, axis("maxLength", [2 ** 12, 2 ** 20]), moved, descending, algorithms),
      keyed,
    ),
  ),
  ...setsOf(
    "sort segments",
    planners.sort,
    withTyped(
      mixes(
        90,
        types,
        axis("segments", ["rows", "offsets"]),
        axis("maxSegmentLength", [undefined, 4, 16, 50, 256, 1000, 1e6]),
        axis("maxLength", [2 ** 12, 2 ** 20]),
        moved,
        descending,
        algorithms,
      ),
      keyed,
    ),
  ),
  ...setsOf("gather", planners.gather, product(types, [plain], axis("lengthOnGpu", [undefined, true]))),
];

/** The examples of each primitive that is described, with all values of the options whose kinds say what they are. */
const examples = withHelp.flatMap((of) => {
  const { primitive } = of;
  const taken = everyType.filter((type) => countExamples(of, type) > 0);
  const words = Object.entries(choicesOf(primitive)).filter(
    ([name]) => !["workGroupSize", "itemsPerThread"].includes(name),
  );
  return setsOf(
    primitive.name,
    planners.exampleOf(of),
    mixes(
      40,
      axis("type", taken),
      lengths,
      axis("example", [0, 1, 2, 3, 4, 5]),
      onGpu,
      ...(primitive.operands.some(({ count }) => count) ? [axis("counted", [undefined, true])] : []),
      ...("itemsPerThread" in primitive.options ? [plainSizes] : []),
      ...words.map(([name, values]) => axis(name, [undefined, undefined, ...values])),
    ),
  );
});

/** All of them, each once: some are among the rows of a table, and among the mixes, too. */
export const optionSets: readonly OptionSet[] = eachOnce([
  ...scans,
  ...reductions,
  ...choices,
  ...segmented,
  ...sorts,
  ...examples,
  ...setsOf("litmus", planners.litmus, [{}]),
]);

function eachOnce(sets: readonly OptionSet[]): OptionSet[] {
  return [...new Map(sets.map((one) => [one.title, one])).values()];
}
