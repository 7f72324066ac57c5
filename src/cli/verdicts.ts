import type { SinglePassTest } from "../gpu/device/context.ts";
import type { Diagnosis } from "../gpu/diagnosis/diagnosis_types.ts";
import type { LitmusResult } from "../gpu/tuning/litmus_types.ts";
import type { MeasuredAdapterOption } from "./options.ts";
import type { Outcome } from "./self_test.ts";

/** What was found of one thing, and what it means. Only `failed` makes the command fail. */
export interface Verdict {
  readonly about: string;
  readonly state: "ok" | "note" | "failed";
  readonly text: string;
}

/** What is told of an adapter. */
export interface AdapterFacts {
  readonly name: string;
  readonly vendor: string;
  readonly architecture: string;
  readonly description: string;
  readonly software: boolean;
  /** The features of the device that Wavefold opened on it. */
  readonly features: readonly string[];
  /** The fewest and the most lanes of a subgroup, if the adapter tells. */
  readonly subgroupSizes: readonly [number, number] | null;
  /** The device's limits, by WebGPU's names. */
  readonly limits: Readonly<Record<string, number>>;
}

/** How many checks have come out how. */
interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Those that there was no time for. */
  readonly leftOut: number;
}

/** The checks of one primitive. */
export interface Group extends Counts {
  readonly primitive: string;
  /** Why checks were skipped, if some were. */
  readonly reason: string | null;
}

/** What became of the self-test. */
export interface SelfTestResult extends Counts {
  readonly groups: readonly Group[];
  readonly failures: readonly {
    readonly primitive: string;
    readonly title: string;
    readonly detail: string;
  }[];
}

/** All that verdicts are made of. */
export interface Examined {
  /** The kind of adapter that was asked for. */
  readonly asked: MeasuredAdapterOption["adapter"];
  readonly adapter: AdapterFacts | null;
  /** Why no adapter was opened. */
  readonly error: string | null;
  /** Why there is no GPU, if one was looked for. */
  readonly gpu: Diagnosis | null;
  readonly singlePass: SinglePassTest | null;
  readonly selfTest: SelfTestResult | null;
  readonly litmus: readonly LitmusResult[] | null;
}

/** The findings before anything is examined. */
export const nothingFound: Examined = {
  asked: "auto",
  adapter: null,
  error: null,
  gpu: null,
  singlePass: null,
  selfTest: null,
  litmus: null,
};

/** Counts the outcomes of checks, by primitive. */
export function resultOf(outcomes: readonly Outcome[]): SelfTestResult {
  const count = (some: readonly Outcome[], verdict: Outcome["verdict"]): number =>
    some.filter((one) => one.verdict === verdict).length;
  const counts = (some: readonly Outcome[]): Counts => ({
    passed: count(some, "passed"),
    failed: count(some, "failed"),
    skipped: count(some, "skipped"),
    leftOut: count(some, "left out"),
  });
  const names = [...new Set(outcomes.map(({ primitive }) => primitive))];
  return {
    ...counts(outcomes),
    groups: names.map((primitive): Group => {
      const some = outcomes.filter((one) => one.primitive === primitive);
      const reasons = new Set(some.flatMap(({ verdict, detail }) => (verdict === "skipped" ? [detail] : [])));
      return { primitive, ...counts(some), reason: [...reasons].join(", ") || null };
    }),
    failures: outcomes
      .filter(({ verdict }) => verdict === "failed")
      .map(({ primitive, title, detail }) => ({ primitive, title, detail })),
  };
}

/** A verdict on each thing: why there is no GPU comes first. If more is found, more verdicts stand behind these. */
export function verdictsOf(examined: Examined): readonly Verdict[] {
  const { asked, adapter, error, gpu, singlePass, selfTest, litmus } = examined;
  return [
    ...(gpu === null ? [] : ofGpu(gpu, asked === "gpu")),
    ...(adapter === null && error === null ? [] : [ofAdapter(adapter, error)]),
    ...(adapter === null ? [] : ofFeatures(adapter)),
    ...(singlePass === null ? [] : [ofSinglePass(singlePass)]),
    ...(selfTest === null ? [] : ofSelfTest(selfTest)),
    ...(litmus ?? []).map(ofLitmus),
  ];
}

function ofAdapter(adapter: AdapterFacts | null, error: string | null): Verdict {
  const about = "adapter";
  if (adapter === null) {
    // What follows the first sentence are the findings, which have lines of their own.
    const [text = ""] = (error ?? "there is none").replace(/^openFold: /, "").split(/\. (?=[A-Z])/);
    return { about, state: "failed", text };
  }
  return adapter.software
    ? { about, state: "note", text: `${adapter.name}, which is software: results are right, and slow` }
    : { about, state: "ok", text: `${adapter.name}, a GPU` };
}

/** One for each finding. If a software adapter may take the GPU's place, none of them is a failure. */
function ofGpu({ headline, findings }: Diagnosis, failed: boolean): Verdict[] {
  const verdict = (text: string): Verdict => ({ about: "GPU", state: failed ? "failed" : "note", text });
  return [verdict(headline), ...findings.map(({ text, cure }) => verdict(`${text} ${cure}`.trim()))];
}

function ofFeatures({ features, subgroupSizes }: AdapterFacts): Verdict[] {
  const feature = (about: string, there: string, missing: string): Verdict =>
    features.includes(about)
      ? { about, state: "ok", text: there }
      : { about, state: "note", text: `missing: ${missing}` };
  const lanes =
    subgroupSizes === null
      ? ""
      : `; the adapter reports ${subgroupSizes[0] === subgroupSizes[1] ? "" : `${subgroupSizes[0]} to `}${subgroupSizes[1]} lanes`;
  return [
    feature("shader-f16", "arrays of f16 work", "arrays of f16 throw a FeatureError"),
    feature(
      "subgroups",
      `kernels use subgroups where they are faster${lanes}`,
      'kernels do without subgroups, and algorithm: "subgroup" throws a FeatureError',
    ),
    feature("timestamp-query", "bench and tune can take times", "bench and tune cannot take times, and fail"),
  ];
}

/** No failure in either case: results are right. */
function ofSinglePass({ passed, detail, milliseconds }: SinglePassTest): Verdict {
  const about = "single pass";
  return passed
    ? { about, state: "ok", text: `${detail} in ${milliseconds} ms: it is the default where it is faster` }
    : { about, state: "note", text: `it does not work here, so data is read twice by default: ${detail}` };
}

const ofSelfTest = ({ groups, failures }: SelfTestResult): Verdict[] =>
  groups.map(({ primitive, passed, failed, skipped, leftOut, reason }) => {
    const about = `self-test of ${primitive}`;
    const first = failures.find((one) => one.primitive === primitive);
    if (first !== undefined) {
      return {
        about,
        state: "failed",
        text: `${failed} of ${passed + failed} checks failed, the first is ${first.title}: ${first.detail}`,
      };
    }
    const parts = [
      passed > 0 ? `${counted(passed, "result")} right` : "",
      skipped > 0 ? `${counted(skipped, "check")} skipped: ${reason}` : "",
      leftOut > 0 ? `there was no time for ${leftOut} of ${passed + skipped + leftOut} checks` : "",
    ];
    const state = passed > 0 && leftOut === 0 ? "ok" : "note";
    return { about, state, text: parts.filter(Boolean).join("; ") };
  });

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? " is" : "s are"}`;

const ofLitmus = ({ name, verdict, detail }: LitmusResult): Verdict => ({
  about: `litmus test of ${name}`,
  state: verdict,
  text: detail,
});

/** Whether Wavefold works, in a line without a full stop. */
export function summaryOf(examined: Examined): { works: boolean; summary: string } {
  const { asked, adapter, gpu, selfTest, litmus } = examined;
  const no = (why: string) => ({ works: false, summary: `Wavefold does not work here${why}` });
  if (adapter === null) {
    const where = { auto: "", gpu: " on a GPU", software: " in software" }[asked];
    return no(
      `${where}: ${asked === "gpu" && gpu !== null ? gpu.headline : ofAdapter(adapter, examined.error).text}`,
    );
  }
  if (selfTest !== null && selfTest.failed > 0) {
    return no(`: ${selfTest.failed} of ${selfTest.failed + selfTest.passed} checks failed`);
  }
  const failed = (litmus ?? []).map(ofLitmus).filter(({ state }) => state === "failed");
  if (failed[0] !== undefined) {
    const more = failed.length > 1 ? `, and ${failed.length - 1} more` : "";
    return no(`: the ${failed[0].about} failed${more}`);
  }
  const { leftOut = 0, passed = 0, skipped = 0 } = selfTest ?? {};
  const some =
    leftOut > 0 ? `; there was no time for ${leftOut} of ${passed + skipped + leftOut} checks` : "";
  return {
    works: true,
    summary: adapter.software
      ? `Wavefold works here, in software${gpu === null ? "" : `: ${gpu.headline}`}${some}`
      : `Wavefold works here, on a GPU${some}`,
  };
}
