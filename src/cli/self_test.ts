import { elementTypes } from "../algebra/element_types.ts";
import type { TypeName } from "../algebra/types.ts";
import { DeviceLostError } from "../errors.ts";
import type { Fold, SinglePassTest } from "../node.ts";
import { oneLine } from "./errors.ts";
import type { Check } from "./self_test_checks.ts";
import { foldChecks, primitives, scopeOf } from "./self_test_checks.ts";
import { differenceOf } from "./self_test_data.ts";
import { describedChecks } from "./self_test_described.ts";
import { familyChecks } from "./self_test_family.ts";
import { operatorChecks, scanEachOn } from "./self_test_operators.ts";

/** What became of one check. It is left out if there was no time for it. */
export interface Outcome {
  readonly primitive: string;
  readonly type: TypeName;
  readonly title: string;
  readonly verdict: "passed" | "failed" | "skipped" | "left out";
  /** Why, where it did not pass. */
  readonly detail: string;
}

/** A check that is still to be run. */
export interface SelfTest extends Omit<Outcome, "verdict" | "detail"> {
  /** Whether the device cannot run it. To say so takes no time. */
  readonly isSkipped?: boolean;
  run(): Promise<Outcome>;
}

/** What to check. */
export interface SelfTestChoice {
  /** The names of the types; left out, all. */
  readonly types?: readonly string[];
  /** What the test of single passes found, if it was run. */
  readonly singlePass?: SinglePassTest | null;
}

/** The most pipelines that a device keeps for the checks: no kernel is compiled twice. */
export const SELF_TEST_PIPELINES = 4096;

/**
 * Until when checks may start, by `performance.now()`. All of `doctor`, or of the page's check, takes 20 seconds after its start on a GPU, and
 * 60 in software: the checks that still run then, and the litmus tests, need what is left.
 */
export const checksEnd = ({ software }: Pick<Fold, "software">, start: number): number =>
  start + (software ? 60_000 - 15_000 : 20_000 - 4000);

/** Each primitive on what the device can run, against the CPU; the rest as skips. The most important comes first. */
export function selfTests(fold: Fold, choice: SelfTestChoice = {}): SelfTest[] {
  const { types = Object.keys(elementTypes) } = choice;
  const scope = scopeOf(fold);
  const some = [
    ...foldChecks(scope),
    ...familyChecks(scope),
    ...describedChecks(scope, types),
    ...operatorChecks(scanEachOn(fold)),
  ];
  return primitives
    .flatMap((primitive) => some.filter((one) => one.primitive === primitive && types.includes(one.type)))
    .map((check) => {
      const { primitive, type, title } = check;
      const outcome = { primitive, type, title };
      const missing = missingFor(check, fold, choice);
      return {
        ...outcome,
        isSkipped: missing !== undefined,
        async run() {
          if (missing !== undefined) {
            return { ...outcome, verdict: "skipped", detail: missing };
          }
          const detail = await problemOf(check);
          return { ...outcome, verdict: detail === undefined ? "passed" : "failed", detail: detail ?? "" };
        },
      };
    });
}

/** Why a check cannot run on a device. */
function missingFor({ type, way }: Check, fold: Fold, { singlePass }: SelfTestChoice): string | undefined {
  const needs = [
    elementTypes[type].feature,
    way === "subgroup" || way === "single pass" ? "subgroups" : undefined,
  ];
  const missing = needs.find((one) => one !== undefined && !fold.device.features.has(one));
  if (missing !== undefined) {
    return `no ${missing}`;
  }
  return way === "single pass" && singlePass?.passed === false ? "single passes do not work" : undefined;
}

/** What is wrong about the results of a check. */
async function problemOf({ lengths, run }: Check): Promise<string | undefined> {
  for (const length of lengths) {
    try {
      const wrong = differenceOf(...(await run(length)));
      if (wrong !== undefined) {
        return `length ${length}: ${wrong}`;
      }
    } catch (cause) {
      // If the device is lost, all other checks would fail, too.
      if (cause instanceof DeviceLostError) {
        throw cause;
      }
      return oneLine(cause);
    }
  }
  return undefined;
}

/** What is told of checks while they run, and when they end. */
export interface SelfTestRun {
  /** Takes the title of each check when it starts. */
  step(title: string): void;
  /** Takes the outcomes of all primitives that are done, in order, each time that one more is. */
  done?(outcomes: readonly Outcome[]): void;
  /** After this time, by `performance.now()`, no check starts. Left out, all run. */
  readonly until?: number;
}

/** Most of the time goes into compiling, which the adapter does for several checks at once. */
const CONCURRENT = 16;

/** Runs checks, several at a time. */
export async function runSelfTests(
  tests: readonly SelfTest[],
  { step, done, until = Number.POSITIVE_INFINITY }: SelfTestRun,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const queue = tests.entries();
  let told = 0;
  /** Tells of the primitives whose checks are all done, and of none behind one that still runs. */
  const tell = (): void => {
    const first = tests.findIndex((_, index) => outcomes[index] === undefined);
    const end =
      first < 0 ? tests.length : tests.findIndex((one) => one.primitive === tests[first]?.primitive);
    if (end > told) {
      told = end;
      done?.(outcomes.slice(0, end));
    }
  };
  const work = async (): Promise<void> => {
    for (const [index, test] of queue) {
      const { primitive, type, title } = test;
      if (!test.isSkipped && performance.now() > until) {
        outcomes[index] = { primitive, type, title, verdict: "left out", detail: "" };
      } else {
        step(title);
        outcomes[index] = await test.run();
      }
      tell();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  return outcomes;
}
