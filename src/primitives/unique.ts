import type { IndicesOption, OptionTable } from "../options.ts";
import type { Examples } from "./examples.ts";
import type { Primitive } from "./primitive.ts";
import type { RunOptions } from "./run_lengths.ts";
import { ofRuns, requireRuns, runLengthsExamples } from "./run_lengths.ts";

type Options = RunOptions<string> & Partial<IndicesOption>;

/** The first element of each run of equal elements, or its position. */
export const unique: Primitive<Options> = {
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

/** The runs of `runLengths`: their first elements, and the positions of these. */
export const uniqueExamples: Examples<Options> = {
  of: (...given) =>
    runLengthsExamples
      .of(...given)
      .flatMap((example) => [example, { ...example, options: { ...example.options, indices: true } }]),
};
