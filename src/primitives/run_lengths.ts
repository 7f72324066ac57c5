import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import type { OptionTable } from "../options.ts";
import type { TuningOptions } from "../plan/options.ts";
import { tuningNames } from "../plan/options.ts";
import type { RunKeyOptions } from "../plan/run_key.ts";
import { requireRunKey } from "../plan/run_key.ts";
import { planRuns } from "../plan/runs.ts";
import type { CallParamsOption } from "./call_options.ts";
import type { Examples } from "./examples.ts";
import { keysOf } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import type { Given, Primitive, Result } from "./primitive.ts";

/** The options of `unique` and `runLengths`. */
export interface RunOptions<Name extends string> extends RunKeyOptions, TuningOptions, CallParamsOption {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** Runs of equal elements: the element of each, and how many it has. */
export interface RunLengths<Values, Counts> {
  /** The element of each run. */
  readonly values: Values;
  /** How many elements each run has. */
  readonly counts: Counts;
}

/** What `unique` and `runLengths` have in common. */
export const ofRuns = {
  onCpu: "moves",
  operands: [{ name: "data", range: "input", also: "keys", isNamed: true }],
  options: {
    type: "type",
    key: "expression",
    params: "params",
    keyType: "type",
    ...tuningNames,
  } satisfies OptionTable<RunOptions<string>>,
  arrangements: ["vectors", "items"],
  plan: planRuns,
} as const satisfies Partial<Primitive<RunOptions<string>>>;

/** What a call gives of each run: its first element, and a number. @throws {ArgumentError} */
export function requireRuns(name: string, { types, lengths, options }: Given<RunOptions<string>>) {
  const type = requireType(types.data, name, "data");
  requireRunKey(options, type, name);
  const counted = { most: lengths.data ?? 0, length: "count" } as const;
  const values: Result<"values"> = { name: "values", range: "unique", type, like: "data", ...counted };
  const numbers: Result<"counts"> = { name: "counts", range: "output", type: u32, ...counted };
  return { title: `${name}<${type.name}>`, type, values, numbers };
}

/** The element of each run of equal elements, and how many it has. */
export const runLengths: Primitive<RunOptions<string>, "data", "values" | "counts"> = {
  name: "runLengths",
  ...ofRuns,
  request(given) {
    const { title, type, values, numbers } = requireRuns("runLengths", given);
    return { title, options: { ...given.options, type }, results: [values, numbers] };
  },
};

// What help says of `unique` and `runLengths`.
export const equalHelp =
  "Elements are equal if they have the same bits or are both NaN; with --key, if their keys are equal.";
export const countsHelp = "the file is .npy (<u4), also with --raw and --text";
export const runKeyHelp = {
  key: "WGSL that gives the key of an element x, such as 'x / 10u'",
  keyType: "element type of the keys; without it, the input's",
} as const;

export const runLengthsHelp: HelpOf<typeof runLengths> = {
  command: "runs",
  summary: "code runs of equal elements as elements and counts",
  says: `Run-length coding: the element of each run of equal elements, and how many elements the run has. ${equalHelp}`,
  operands: { data: "the elements" },
  options: runKeyHelp,
  results: { values: "where the elements go", counts: `where the counts go; ${countsHelp}` },
  flags: { counts: "needed" },
};

/** Runs of equal elements, and of equal keys. */
export const runLengthsExamples: Examples<RunOptions<string>> = {
  of: (type) => [
    { options: {}, hasRuns: true },
    ...keysOf(type)
      .filter(({ key }) => key)
      .map(({ twins, ...options }) => ({ options, hasRuns: true, ...(twins && { twins }) })),
  ],
};

export const described: readonly Described[] = [
  { primitive: runLengths, help: runLengthsHelp, examples: runLengthsExamples },
];
