import type { Case } from "./families.ts";
import { runCase } from "./families.ts";
import type { Fixture } from "./fixture.ts";
import type { Verdict } from "./verdict.ts";
import { Fault } from "./verdict.ts";

/** How a case ended: with a verdict, or with what it found. */
export interface Ended {
  readonly verdict?: Verdict;
  readonly fault?: string;
}

/** Runs a case. */
export async function endOf(one: Case, fixture: Fixture): Promise<Ended> {
  try {
    return { verdict: await runCase(one, fixture) };
  } catch (cause) {
    // What is left of the case belongs to it, and not to the next one.
    await fixture.requireNoError("").catch(() => undefined);
    return {
      fault:
        cause instanceof Fault
          ? cause.message
          : `the fuzzer itself failed: ${(cause as Error)?.stack ?? String(cause)}`,
    };
  }
}
