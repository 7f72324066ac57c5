import { expandRuns as anExpansion } from "../../primitives/expand_runs.ts";
import { formsOf } from "./forms.ts";

// Runs of equal elements.

export const expandRuns = formsOf(anExpansion);
