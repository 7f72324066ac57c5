import type { Plan } from "../primitives/plan.ts";
import { RUNS } from "../primitives/plan.ts";
import type { Prepared } from "./checked.ts";
import { checked } from "./checked.ts";
import { compilePlan } from "./compiled.ts";
import type { Context } from "./context.ts";

export type { BufferRange, Prepared, Ranges } from "./checked.ts";

/**
 * Compiles a plan and allocates its scratch. `runs` is how many numbers a spine has: fewer in tests.
 *
 * @throws {SourceError} {@link OutOfMemoryError} {@link DeviceLostError}
 */
export const prepare = async (context: Context, plan: Plan, runs = RUNS): Promise<Prepared> =>
  checked(await compilePlan(context, plan, runs));
