import type { SinglePassTest } from "../gpu/device/context.ts";
import type { Diagnosis } from "../gpu/diagnosis/diagnosis_types.ts";
import type { LitmusResult } from "../gpu/tuning/litmus_types.ts";
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

/** The checks of one type and one algorithm. */
export interface Group {
  readonly type: string;
  readonly algorithm: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Why checks were skipped, if some were. */
  readonly reason: string | null;
}

/** What became of the self-test. */
export interface SelfTestResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly groups: readonly Group[];
  readonly failures: readonly { readonly title: string; readonly detail: string }[];
}

/** All that verdicts are made of. */
export interface Examined {
  /** The kind of adapter that was asked for. */
  readonly asked: "auto" | "gpu" | "software";
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

/** Counts the outcomes of checks, by type and algorithm. */
export function resultOf(outcomes: readonly Outcome[]): SelfTestResult {
  const count = (some: readonly Outcome[], verdict: Outcome["verdict"]): number =>
    some.filter((one) => one.verdict === verdict).length;
  const counts = (some: readonly Outcome[]) => ({
    passed: count(some, "passed"),
    failed: count(some, "failed"),
    skipped: count(some, "skipped"),
  });
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const key = `${outcome.type} ${outcome.algorithm}`;
    groups.set(key, [...(groups.get(key) ?? []), outcome]);
  }
  return {
    ...counts(outcomes),
    groups: [...groups.values()].flatMap((some): Group[] => {
      const [first] = some;
      const reason = some.find(({ verdict }) => verdict === "skipped")?.detail ?? null;
      return first === undefined
        ? []
        : [{ type: first.type, algorithm: first.algorithm, ...counts(some), reason }];
    }),
    failures: outcomes
      .filter(({ verdict }) => verdict === "failed")
      .map(({ title, detail }) => ({ title, detail })),
  };
}

/** A verdict on each thing, the adapter first. */
export function verdictsOf(examined: Examined): readonly Verdict[] {
  const { adapter, error, gpu, singlePass, selfTest, litmus } = examined;
  return [
    ofAdapter(adapter, error),
    ...(gpu === null ? [] : ofGpu(gpu, adapter === null)),
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

/** One for each finding. If a software adapter takes the GPU's place, none of them is a failure. */
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

function ofSelfTest({ groups, failures }: SelfTestResult): Verdict[] {
  return [...new Set(groups.map(({ type }) => type))].map((type) => {
    const about = `self-test of ${type}`;
    const own = groups.filter((one) => one.type === type);
    const sum = (of: "passed" | "failed" | "skipped"): number => own.reduce((all, one) => all + one[of], 0);
    const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
    if (failed > 0) {
      const first = failures.find(({ title }) => title.includes(`<${type}`));
      return {
        about,
        state: "failed",
        text: `${failed} of ${passed + failed} checks failed, the first is ${first?.title}: ${first?.detail}`,
      };
    }
    const reasons = [...new Set(own.flatMap(({ reason }) => reason ?? []))].join(", ");
    return passed === 0
      ? { about, state: "note", text: `skipped: ${reasons}` }
      : {
          about,
          state: "ok",
          text: `${passed} results are right${skipped === 0 ? "" : `, ${skipped} checks are skipped: ${reasons}`}`,
        };
  });
}

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
  return {
    works: true,
    summary: adapter.software
      ? `Wavefold works here, in software${gpu === null ? "" : `: ${gpu.headline}`}`
      : "Wavefold works here, on a GPU",
  };
}
