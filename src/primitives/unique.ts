import type { IndicesOption, OptionTable } from "../options.ts";
import type { Examples } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import type { Primitive } from "./primitive.ts";
import type { RunOptions } from "./run_lengths.ts";
import {
  countsHelp,
  equalHelp,
  ofRuns,
  requireRuns,
  runKeyHelp,
  runLengths,
  runLengthsExamples,
} from "./run_lengths.ts";

type Options = RunOptions<string> & Partial<IndicesOption>;

/** The first element of each run of equal elements, or its position. */
export const unique: Primitive<Options, "data", "values" | "counts"> = {
  ...ofRuns,
  name: "unique",
  callOptions: { indices: "boolean" } satisfies OptionTable<IndicesOption>,
  instead: { counts: "runLengths gives the elements and their counts" },
  request(given) {
    const { title, type, values, numbers } = requireRuns("unique", given);
    const { indices = false, ...options } = given.options;
    return {
      title,
      options: { ...options, type, alone: indices ? "totals" : "keys" },
      results: indices ? [numbers] : [values, { ...numbers, isDropped: true }],
    };
  },
};

export const uniqueHelp: HelpOf<typeof unique> = {
  summary: "keep the first element of each run of equal elements",
  says: `Keeps the first element of each run of equal elements: in a sorted array, each element once. ${equalHelp}`,
  operands: { data: "the elements" },
  options: {
    ...runKeyHelp,
    indices: "write the positions of these elements (<u4) instead of the elements",
  },
  results: {
    values: "where the result goes",
    counts: `write how many elements each run has, too: run-length coding; ${countsHelp}`,
  },
  flags: { counts: "optional" },
};

/** The runs of `runLengths`: their first elements, and the positions of these. */
export const uniqueExamples: Examples<Options> = {
  of: (...given) =>
    runLengthsExamples
      .of(...given)
      .flatMap((example) => [example, { ...example, options: { ...example.options, indices: true } }]),
};

export const described: readonly Described[] = [
  { primitive: unique, help: uniqueHelp, examples: uniqueExamples, instead: ["counts", runLengths] },
];
