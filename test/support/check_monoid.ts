import { checkMonoid as checkWithAnySeed } from "../../src/laws/index.ts";
import { seed } from "./random.ts";

/** `checkMonoid` with the values of the run's seed, if it is given none: so WAVEFOLD_SEED repeats them, too. */
export const checkMonoid = ((op: never, options: object = {}) =>
  checkWithAnySeed(op, { seed: seed | 0, ...options } as never)) as typeof checkWithAnySeed;
