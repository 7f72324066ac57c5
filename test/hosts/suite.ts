import type { Fold } from "../../src/gpu/fold.ts";
import { seed } from "../support/random.ts";
import type { Bench, Case, Host } from "./case.ts";
import { deviceCases } from "./cases/devices.ts";
import { errorCases } from "./cases/errors.ts";
import { exampleCases } from "./cases/examples.ts";
import { inKernelCases } from "./cases/in_kernel.ts";
import { resultCases } from "./cases/results.ts";

/** What became of a case, as plain data. */
export interface Result {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** Why it failed or was skipped. */
  readonly message?: string;
  readonly milliseconds: number;
}

/** What a host says while the suite runs: one object a line. */
export type Report =
  | {
      readonly kind: "adapter";
      readonly scope: string;
      readonly description: string;
      /** It computes on the CPU. */
      readonly software: boolean;
    }
  | { readonly kind: "start"; readonly name: string }
  | { readonly kind: "result"; readonly result: Result };

/** Every case, by a name of its own. */
export const cases: readonly Case[] = [
  ...resultCases,
  ...inKernelCases,
  ...exampleCases,
  ...errorCases,
  ...deviceCases,
];

/**
 * Which cases of the compiler a host runs: all, or one half of them. Two hosts that have the same compiler run one half each, which the seed
 * chooses.
 */
export type Share = "all" | "first" | "second";

const quickCases: readonly Case[] = cases.filter((one) => one.quick);
const secondCases: readonly Case[] = cases.filter((one) => /\bf16\b|exact sums/.test(one.name));
const compilerCases: readonly Case[] = cases.filter((one) => one.ofCompiler);

/** Whether a share has a case. Those that any host may do in its own way are in each. */
const isIn = (share: Share, one: Case): boolean => {
  const half = (compilerCases.indexOf(one) + seed) % 2 === 0 ? "first" : "second";
  return share === "all" || !one.ofCompiler || share === half;
};

/** The share's cases in the main thread, and some cases in the other scopes. */
const casesIn = (scope: string, share: Share): readonly Case[] => {
  switch (scope) {
    case MAIN:
      return cases.filter((one) => isIn(share, one));
    case SECOND_ADAPTER:
      return secondCases;
    case SECOND_TAB:
      return quickCases.filter(({ quick }) => quick === "everywhere");
    default:
      return quickCases;
  }
};

export const MAIN = "";
/** The cases of f16, which the first software adapter lacks, and of exact sums, whose bits are the same on all adapters. */
export const SECOND_ADAPTER = "on a second adapter";
export const WORKER = "in a worker";
export const SECOND_TAB = "in a second tab";

/** The names of a scope's cases: `scope` comes before them. */
export const namesIn = (scope: string, share: Share): string[] =>
  casesIn(scope, share).map(({ name }) => scoped(scope, name));

const scoped = (scope: string, name: string): string => (scope === MAIN ? name : `${scope}: ${name}`);

/** Cases that run at once: Firefox looks for what a GPU has done but every 100 ms. */
const AT_ONCE = 4;

/** A case that takes longer has failed; the next one is run. Two busy cores take minutes for the longest. */
const CASE_LIMIT = 300_000;

class Skipped {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Runs the cases of a scope, a few at once, and reports each; it never throws. */
export async function runSuite(
  host: Host,
  scope: string,
  share: Share,
  report: (one: Report) => void,
): Promise<void> {
  let fold: Fold;
  try {
    fold = await host.open();
  } catch (cause) {
    for (const name of namesIn(scope, share)) {
      report({ kind: "result", result: { name, outcome: "failed", message: show(cause), milliseconds: 0 } });
    }
    return;
  }
  report({ kind: "adapter", scope, description: describe(fold), software: isSoftware(fold) });
  const skip = (condition: boolean, reason: string): void => {
    if (condition) {
      throw new Skipped(reason);
    }
  };
  const left = [...casesIn(scope, share)];
  const runNext = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      const name = scoped(scope, one.name);
      report({ kind: "start", name });
      report({ kind: "result", result: { name, ...(await outcomeOf(one, { host, fold, skip })) } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  fold.destroy();
}

async function outcomeOf(one: Case, bench: Bench): Promise<Omit<Result, "name">> {
  const start = performance.now();
  const milliseconds = (): number => Math.round(performance.now() - start);
  try {
    await within(CASE_LIMIT, one.run(bench));
    return { outcome: "passed", milliseconds: milliseconds() };
  } catch (cause) {
    return cause instanceof Skipped
      ? { outcome: "skipped", message: cause.reason, milliseconds: milliseconds() }
      : { outcome: "failed", message: show(cause), milliseconds: milliseconds() };
  }
}

function within(limit: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took more than ${limit / 1000} s`)), limit);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const show = (cause: unknown): string =>
  cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);

const nameOf = ({ adapterInfo }: Fold): string => {
  const { vendor, architecture, description } = adapterInfo ?? {};
  return [vendor, architecture, description].filter(Boolean).join(" ") || "an adapter without a name";
};

/** By its name too: not every host says which adapters compute on the CPU. */
const isSoftware = (fold: Fold): boolean =>
  fold.software || /swiftshader|llvmpipe|lavapipe|basic render/i.test(nameOf(fold));

function describe(fold: Fold): string {
  const { device } = fold;
  const features = [...(device.features as unknown as Iterable<string>)].filter((one) =>
    ["shader-f16", "subgroups"].includes(one),
  );
  const threads = device.limits.maxComputeInvocationsPerWorkgroup;
  return `${nameOf(fold)}${isSoftware(fold) ? " (software)" : ""}, ${threads} threads, ${features.join(" and ") || "no optional feature"}`;
}
