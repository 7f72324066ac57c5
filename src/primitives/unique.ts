import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import type { IndicesOption, OptionTable } from "../options.ts";
import { loadSegmentsAndRuns } from "../parts.ts";
import type { CountBounds } from "../plan/count_bounds.ts";
import { requireBounds } from "../plan/count_bounds.ts";
import type { TuningOptions } from "../plan/options.ts";
import { tuningNames } from "../plan/options.ts";
import { TWO_BUFFERS } from "../plan/plan.ts";
import type { PlanFacts } from "../plan/plan_facts.ts";
import type { UniqueOptions } from "../plan/planned_unique.ts";
import type { RunKeyOptions } from "../plan/run_key.ts";
import { requireRunKey } from "../plan/run_key.ts";
import { requireKey } from "../plan/sort_key.ts";
import type { CallParamsOption } from "./call_options.ts";
import type { Examples } from "./examples.ts";
import { keysOf } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import type { Given, Primitive, Request, Result } from "./primitive.ts";
import { keyedOptions } from "./primitive.ts";
import type { BufferRange, Length, ParamsRange, PreparedPrimitive } from "./ranges.ts";

/** The options of `unique` and `runLengths`. */
export interface RunOptions<Name extends string, Indices extends boolean = boolean, Inverse = boolean>
  extends RunKeyOptions,
    CountBounds,
    TuningOptions,
    CallParamsOption,
    Partial<IndicesOption<Indices>> {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /**
   * Whether to sort first, so that equal elements that are apart are one run: each is given once, in ascending order. Elements with equal
   * keys keep their order, so that the first one in the data is given.
   */
  readonly sort?: boolean;
  /** Whether to give for each element the index of its run, a u32, in the order of the data. */
  readonly inverse?: Inverse;
}

/** The option of `unique` that `runLengths` always has. */
export interface CountsOption<Counts = boolean> {
  /** Whether to give how many elements each run has, too. */
  readonly counts?: Counts;
}

/** Where a search for runs reads and writes. */
export interface UniqueRanges extends ParamsRange {
  /** The items. */
  readonly input: BufferRange;
  /** Receives the first item of each run, or with `indices` its position, as u32. It has room for as many as the input. */
  readonly unique: BufferRange;
  /** For plans prepared with `counts`: receives how many items each run has, as u32. It has room for as many as the input. */
  readonly counts?: BufferRange;
  /** For plans prepared with `inverse`: receives the index of each item's run, as u32. */
  readonly inverse?: BufferRange;
  /** Receives the number of runs, a u32. */
  readonly count: BufferRange;
  /** The number of items. */
  readonly length: Length;
}

/** A search for runs of equal items, compiled and with its scratch allocated. */
export interface PreparedUnique extends PreparedPrimitive<UniqueRanges> {}

type Options = RunOptions<string> & CountsOption;

/** Checks a call of `unique` or `runLengths`. @throws {ArgumentError} */
function requestOf(
  name: string,
  { types, lengths, options }: Given<Options>,
): Request<"values" | "counts" | "inverse"> {
  const type = requireType(types.data, name, "data");
  const title = `${name}<${type.name}>`;
  requireRunKey(options, type, name);
  if (options.sort) {
    requireKey(options, type, title);
  }
  const bounds = requireBounds(options, title);
  const { indices, counts, inverse } = options;
  const most = lengths.data ?? 0;
  const counted = { most, length: "count" } as const;
  const values: Result<"values"> = { name: "values", range: "unique", type: u32, ...counted };
  return {
    title,
    options: { ...options, type },
    results: [
      indices ? values : { ...values, type, like: "data" },
      ...(counts ? [{ name: "counts", range: "counts", type: u32, ...counted } as const] : []),
      ...(inverse
        ? [{ name: "inverse", range: "inverse", type: u32, most, length: "input", shape: "input" } as const]
        : []),
    ],
    // The plan is for up to twice as many items. A sort has both, and what it moves, twice.
    scratchBytes: 2 * most * ((options.sort ? 2 * type.bytes + 24 : 0) + (bounds ? type.bytes : 0) + 12),
  };
}

/** What `unique` and `runLengths` have in common. */
const ofRuns = {
  onCpu: "moves",
  operands: [{ name: "data", range: "input", isNamed: true }],
  options: {
    ...keyedOptions,
    sort: "boolean",
    indices: "boolean",
    inverse: "boolean",
    minCount: "count",
    maxCount: "count",
    ...tuningNames,
  } satisfies OptionTable<RunOptions<string>>,
  arrangements: TWO_BUFFERS,
  plan: async (options: UniqueOptions, facts: PlanFacts, arrangements: readonly Arrangement[]) =>
    (await loadSegmentsAndRuns()).planUnique(options, facts, arrangements),
} as const satisfies Partial<Primitive<RunOptions<string>>>;

/** The first element of each run of equal elements, or its position. */
export const unique: Primitive<Options, "data", "values" | "counts" | "inverse"> = {
  ...ofRuns,
  name: "unique",
  options: { ...ofRuns.options, counts: "boolean" } satisfies OptionTable<Options>,
  request: (given) => requestOf("unique", given),
};

/** The same with `counts`. */
export const runLengths: Primitive<RunOptions<string>, "data", "values" | "counts" | "inverse"> = {
  ...ofRuns,
  name: "runLengths",
  recordedBy: "unique",
  request: (given) => requestOf("runLengths", { ...given, options: { ...given.options, counts: true } }),
};

const equalHelp =
  "Elements are equal if they have the same bits or are both NaN; with --key, if their keys are equal.";
const fileHelp = "the file is .npy (<u4), also with --raw and --text";

/** What help says of both. */
const help = {
  operands: { data: "the elements" },
  options: {
    key: "WGSL that gives the key of an element x, such as 'x / 10u'",
    keyType: "element type of the keys; without it, the input's",
    sort: "sort first, so that equal elements that are apart are one run",
    indices: "write the positions of these elements (<u4) instead of the elements",
    minCount: "leave out runs of fewer elements: 2 leaves out what occurs once",
    maxCount: "leave out runs of more elements: 1 gives what occurs once",
  },
  results: {
    values: "where the elements go",
    counts: `where the number of elements of each run goes; ${fileHelp}`,
    inverse: `write for each element of the input the index of its run; ${fileHelp}`,
  },
} as const;

export const uniqueHelp: HelpOf<typeof unique> = {
  ...help,
  summary: "keep the first element of each run of equal elements",
  says: `Keeps the first element of each run of equal elements: in a sorted array or with --sort, each element once. ${equalHelp}`,
  flags: { counts: "optional", inverse: "optional" },
};

export const runLengthsHelp: HelpOf<typeof runLengths> = {
  ...help,
  command: "runs",
  summary: "code runs of equal elements as elements and counts",
  says: `Run-length coding: the element of each run of equal elements, and how many elements the run has. ${equalHelp}`,
  flags: { counts: "needed", inverse: "optional" },
};

/**
 * Runs of equal elements, and of equal keys; and those of some counts alone, beside which no element has an index. Structs are not sorted
 * without a key.
 */
export const runLengthsExamples: Examples<RunOptions<string>> = {
  of: (type) => {
    const whole = type.kind === "struct" ? { sort: false } : {};
    const keyed = keysOf(type)
      .filter(({ key }) => key)
      .map(({ twins, ...options }) => ({ options, hasRuns: true, ...(twins && { twins }) }));
    const bounds = [{ minCount: 2 }, { maxCount: 1 }, { minCount: 2, maxCount: 5 }];
    return [
      { options: whole, hasRuns: true },
      ...keyed,
      ...bounds.map((bound) => ({ options: { ...whole, ...bound, inverse: false }, hasRuns: true })),
    ];
  },
};

/** The runs of `runLengths`: their first elements, and the positions of these. */
export const uniqueExamples: Examples<Options> = {
  of: (...given) =>
    runLengthsExamples
      .of(...given)
      .flatMap((example) => [example, { ...example, options: { ...example.options, indices: true } }]),
};

export const described: readonly Described[] = [
  { primitive: unique, help: uniqueHelp, examples: uniqueExamples },
  { primitive: runLengths, help: runLengthsHelp, examples: runLengthsExamples },
];
