import { expandRuns as anExpansion } from "../../primitives/expand_runs.ts";
import { runLengths as theLengths } from "../../primitives/run_lengths.ts";
import { unique as theUnique } from "../../primitives/unique.ts";
import { formsOf } from "./forms.ts";

// Runs of equal elements.

export const unique = formsOf(theUnique);
export const runLengths = formsOf(theLengths);
export const expandRuns = formsOf(anExpansion);
