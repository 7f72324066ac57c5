// The faults that shaders/device/look_back/faults_by_run.wgsl plants in runs, by the runs' numbers.

const modes = [
  "none",
  "never",
  "only low halves",
  "only high halves",
  "all but the last word",
  "all but the first word",
  "late",
  "later tiles first",
  "word by word",
] as const;
const shares = [
  "all",
  "the first tile",
  "the last of each group",
  "groups alone",
  "1 in 7",
  "1 in 512",
] as const;

/** How many runs it takes to show every fault. */
export const FAULTS = modes.length * shares.length;

/** The fault of the run with this number, which counts from 1. */
export const faultOf = (run: number): string =>
  `${modes[Math.floor((run - 1) / shares.length) % modes.length]}: ${shares[(run - 1) % shares.length]}`;

/**
 * Runs that show a part of the faults: each mode in all places, and the modes `never` and `late` in each share of the
 * places.
 */
export const someFaults: readonly number[] = /* @__PURE__ */ Array.from(
  { length: FAULTS },
  (_, at) => at + 1,
).filter((run) => /all$|^never|^late/.test(faultOf(run)));
