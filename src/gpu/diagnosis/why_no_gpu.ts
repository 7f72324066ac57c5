import { diagnose } from "./diagnosis.ts";
import type { Diagnosis } from "./diagnosis_types.ts";
import { thisSystem } from "./this_system.ts";

/** Why this machine gave no GPU. `loaderLoads` says whether the Vulkan loader was loaded, on Linux. */
export const whyNoGpu = (loaderLoads: boolean): Diagnosis => diagnose(thisSystem(), { loaderLoads });

const MOST_FINDINGS = 2;

/** The first findings in one line, for an error. */
export const sentencesOf = ({ findings }: Diagnosis): string =>
  findings
    .slice(0, MOST_FINDINGS)
    .map(({ text, cure }) => `${text} ${cure}`.trim())
    .join(" ");
