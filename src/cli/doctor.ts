import Table from "cli-table3";
import { elementTypes } from "../algebra/element_types.ts";
import { canFindGpu } from "../gpu/adapters/vulkan_loader.ts";
import { cardName } from "../gpu/diagnosis/card_name.ts";
import { thisSystem } from "../gpu/diagnosis/this_system.ts";
import { whyNoGpu } from "../gpu/diagnosis/why_no_gpu.ts";
import { litmusTests } from "../kernels/litmus.ts";
import type { Fold, LitmusResult, SinglePassTest } from "../node.ts";
import { AdapterError, DeviceLostError, MissingPackageError, openFold, runLitmusTests } from "../node.ts";
import { factsOf, shownLimits } from "./adapter_facts.ts";
import { doAll, oneLine, UsageError, withoutCodes } from "./errors.ts";
import { DASH } from "./files.ts";
import { issueLink } from "./issue_link.ts";
import type { MeasuredAdapterOption } from "./options.ts";
import { print, reportTarget } from "./print.ts";
import { startOpening, startSteps } from "./progress_lines.ts";
import { checksEnd, runSelfTests, SELF_TEST_PIPELINES, selfTests } from "./self_test.ts";
import type { AdapterFacts, Examined, SelfTestResult, Verdict } from "./verdicts.ts";
import { nothingFound, resultOf, summaryOf, verdictsOf } from "./verdicts.ts";
import type { OperatingSystem, Versions } from "./versions.ts";
import { operatingSystem, ownPlaces, versionsOf } from "./versions.ts";
import { withGpu } from "./with_fold.ts";

/** Options of `wavefold doctor`, as commander hands them over. */
export interface DoctorOptions extends MeasuredAdapterOption {
  readonly json?: string;
  /** The element types of the self-test; left out, all. */
  readonly types?: readonly string[];
}

/** What `--json` writes. The version changes when a field goes or means something else. */
export interface DoctorReport extends Examined {
  readonly version: 2;
  readonly date: string;
  readonly works: boolean;
  readonly summary: string;
  readonly versions: Versions;
  readonly system: OperatingSystem;
  readonly verdicts: readonly Verdict[];
}

const cardOf = ({ software, adapterInfo }: Fold): string | undefined =>
  software ? undefined : cardName(adapterInfo, thisSystem());

type Say = (text: string) => Promise<void>;

/**
 * `wavefold doctor`
 *
 * @throws {UsageError} when a check fails or there is no adapter; the report is written by then.
 */
export async function doctor(options: DoctorOptions): Promise<void> {
  const start = performance.now();
  const { json: path, types = [] } = options;
  const unknown = types.find((type) => !Object.hasOwn(elementTypes, type));
  if (unknown !== undefined) {
    throw new UsageError(
      `doctor: there is no type "${unknown}"; types are ${Object.keys(elementTypes).join(", ")}`,
    );
  }
  // What could fail at the end is opened first.
  const json = path === undefined ? undefined : await reportTarget(path);
  const say: Say = async (text) => {
    // Stdout has either the report for people or the one for programs.
    if (path !== DASH) {
      await print(`${text}\n`);
    }
  };
  const versions = versionsOf();
  const system = operatingSystem();
  const findings = startFindings(options, say);
  await examine(options, start, findings, (adapter) => say(`\n${tableOf(versions, system, adapter)}\n`));
  const { examined } = findings;
  const verdicts = verdictsOf(examined);
  const { works, summary } = summaryOf(examined);
  const report: DoctorReport = {
    version: 2,
    date: new Date().toISOString(),
    works,
    summary,
    versions,
    system,
    ...examined,
    verdicts,
  };
  // If everything works, nobody needs to open an issue.
  const link = works ? undefined : issueLink(ownPlaces(), { summary, versions: { ...versions }, verdicts });
  const open = link === undefined ? "" : `\nThis opens an issue with the verdicts: ${link}`;
  const more = examined.selfTest?.leftOut
    ? "\nChecks of fewer types take less time: wavefold doctor --types u32"
    : "";
  await doAll([
    () => say(`\n${summary}.${more}${open}`),
    async () => json?.write(Buffer.from(`${JSON.stringify(report, undefined, 1)}\n`)),
  ]);
  if (!works) {
    throw new UsageError(`doctor: ${summary}`);
  }
}

/** What was found so far. */
interface Findings {
  readonly examined: Examined;
  /** Adds what was found, and says each verdict that is new. */
  add(more: Partial<Examined>): Promise<void>;
}

function startFindings({ adapter: asked }: MeasuredAdapterOption, say: Say): Findings {
  const told = new Set<string>();
  const findings = {
    examined: { ...nothingFound, asked } as Examined,
    async add(more: Partial<Examined>): Promise<void> {
      findings.examined = { ...findings.examined, ...more };
      const lines = verdictsOf(findings.examined)
        .map(lineOf)
        .filter((line) => !told.has(line));
      for (const line of lines) {
        told.add(line);
      }
      if (lines.length > 0) {
        await say(lines.join("\n"));
      }
    },
  };
  return findings;
}

type SayTable = (adapter?: AdapterFacts) => Promise<void>;

/** Opens an adapter, and checks all that it can be checked for. */
async function examine(
  options: DoctorOptions,
  start: number,
  findings: Findings,
  sayTable: SayTable,
): Promise<void> {
  const { adapter: asked } = options;
  const opened = startOpening("doctor", "looking for an adapter");
  const noGpu = async (): Promise<void> => {
    opened();
    await findings.add({ gpu: whyNoGpu(canFindGpu()) });
  };
  const examineOn = (adapter: MeasuredAdapterOption["adapter"]): Promise<void> =>
    examineAdapter(adapter, options, start, findings, async (facts) => {
      opened();
      await sayTable(facts);
    });
  try {
    if (asked !== "software") {
      try {
        return await examineOn("gpu");
      } catch (cause) {
        // Without the package webgpu, no adapter was looked for.
        if (!(cause instanceof AdapterError) || cause.package === "webgpu") {
          throw cause;
        }
        // It is said before a software adapter is opened.
        await noGpu();
        if (asked === "gpu") {
          throw cause;
        }
      }
    }
    await examineOn("software");
  } catch (cause) {
    const isAdapter = cause instanceof AdapterError || cause instanceof MissingPackageError;
    if (!isAdapter && !(cause instanceof DeviceLostError)) {
      throw cause;
    }
    opened();
    if (isAdapter) {
      await sayTable();
    }
    await findings.add({ adapter: null, error: oneLine(cause), selfTest: null });
  } finally {
    opened();
  }
}

/** Opens an adapter of a kind, and checks it. */
async function examineAdapter(
  adapter: MeasuredAdapterOption["adapter"],
  options: DoctorOptions,
  start: number,
  findings: Findings,
  sayTable: SayTable,
): Promise<void> {
  let singlePass: SinglePassTest | null = null;
  const before = performance.now();
  const work = async (fold: Fold): Promise<void> => {
    if (findings.examined.adapter === null) {
      const facts = factsOf(fold, cardOf(fold));
      await sayTable(facts);
      await findings.add({ adapter: facts });
    }
    singlePass ??= await testSinglePass(fold);
    await findings.add({ singlePass });
    await runChecks(fold, options, start, findings);
    // Last, since these may lose the device.
    await findings.add({ litmus: await runLitmus(fold) });
  };
  const open = (): Promise<void> => withGpu({ adapter }, work, { maxPipelines: SELF_TEST_PIPELINES });
  try {
    await open();
  } catch (cause) {
    if (!(cause instanceof DeviceLostError) || singlePass !== null) {
      throw cause;
    }
    // The test is what lost the device. A new one is checked without it.
    const milliseconds = Math.round(performance.now() - before);
    singlePass = { passed: false, detail: oneLine(cause), milliseconds };
    await open();
  }
}

async function testSinglePass({ device }: Fold): Promise<SinglePassTest | null> {
  const tested = startOpening("doctor", "testing single passes");
  try {
    return (await openFold({ device, testSinglePass: true })).singlePassTest ?? null;
  } finally {
    tested();
  }
}

/** Runs the self-test, and says the verdict on each primitive as soon as it is known. */
async function runChecks(
  fold: Fold,
  { types }: DoctorOptions,
  start: number,
  findings: Findings,
): Promise<void> {
  const { singlePass } = findings.examined;
  const tests = selfTests(fold, { singlePass, ...(types && { types }) });
  const until = checksEnd(fold, start);
  const progress = startSteps("doctor", tests.length, "checks");
  const add = async (selfTest: SelfTestResult): Promise<void> => {
    progress.hide();
    await findings.add({ selfTest });
  };
  // One after another, as the verdicts are known.
  let told = Promise.resolve();
  try {
    const outcomes = await runSelfTests(tests, {
      step: progress.step,
      done: (outcomes) => {
        told = told.then(() => add(resultOf(outcomes)));
      },
      until,
    });
    await told;
    await add(resultOf(outcomes));
  } finally {
    progress.stop();
  }
}

async function runLitmus(fold: Fold): Promise<readonly LitmusResult[]> {
  const progress = startSteps("doctor", litmusTests.length, "litmus tests");
  try {
    return await runLitmusTests(fold, { onTest: progress.step });
  } finally {
    progress.stop();
  }
}

/** What runs, where, and on which adapter. */
function tableOf(
  versions: Versions,
  { name, release, platform, arch }: OperatingSystem,
  adapter: AdapterFacts | undefined,
): string {
  const table = new Table({ style: { head: [], border: [], compact: true } });
  table.push(
    ["wavefold", versions.wavefold],
    ["Node.js", versions.node],
    ["system", `${name}, ${platform} ${release}, ${arch}`],
    ["npm package webgpu", versions.webgpu ?? "not installed"],
    // Elsewhere, a software adapter is the system's own.
    ...(platform === "linux" && arch === "x64"
      ? [["npm package @sparticuz/chromium (SwiftShader)", versions.swiftShader ?? "not installed"]]
      : []),
  );
  if (adapter !== undefined) {
    table.push(
      ["adapter", adapter.name],
      ["kind", adapter.software ? "software" : "GPU"],
      ["features", adapter.features.join("\n") || "none"],
      ["subgroup size", adapter.subgroupSizes?.join(" to ") ?? "not told"],
      ...shownLimits.map((limit) => [limit, String(adapter.limits[limit])]),
    );
  }
  return table.toString();
}

const states = { ok: "ok    ", note: "note  ", failed: "FAILED" } as const;
/** Paths of drivers come from files. */
const lineOf = ({ about, state, text }: Verdict): string =>
  `${states[state]}  ${about}: ${withoutCodes(text)}`;
