import Table from "cli-table3";
import { elementTypes } from "../algebra/element_types.ts";
import { canFindGpu } from "../gpu/adapters/vulkan_loader.ts";
import { cardName } from "../gpu/diagnosis/card_name.ts";
import { thisSystem } from "../gpu/diagnosis/this_system.ts";
import { whyNoGpu } from "../gpu/diagnosis/why_no_gpu.ts";
import { litmusTests } from "../kernels/litmus.ts";
import type { Fold, LitmusResult, SinglePassTest } from "../node.ts";
import { AdapterError, DeviceLostError, MissingPackageError, runLitmusTests } from "../node.ts";
import { factsOf, shownLimits } from "./adapter_facts.ts";
import { doAll, oneLine, UsageError, withoutCodes } from "./errors.ts";
import { DASH } from "./files.ts";
import { issueLink } from "./issue_link.ts";
import type { AdapterOption } from "./options.ts";
import { withFold } from "./options.ts";
import { print, reportTarget } from "./print.ts";
import { startOpening, startSteps } from "./progress_lines.ts";
import { runSelfTests, selfTests } from "./self_test.ts";
import type { Examined, SelfTestResult, Verdict } from "./verdicts.ts";
import { nothingFound, resultOf, summaryOf, verdictsOf } from "./verdicts.ts";
import type { OperatingSystem, Versions } from "./versions.ts";
import { operatingSystem, ownPlaces, versionsOf } from "./versions.ts";

/** Options of `wavefold doctor`, as commander hands them over. */
export interface DoctorOptions extends AdapterOption {
  readonly json?: string;
  /** The element types of the self-test; left out, all. */
  readonly types?: readonly string[];
}

/** What `--json` writes. The version changes when a field goes or means something else. */
export interface DoctorReport extends Examined {
  readonly version: 1;
  readonly date: string;
  readonly works: boolean;
  readonly summary: string;
  readonly versions: Versions;
  readonly system: OperatingSystem;
  readonly verdicts: readonly Verdict[];
}

const plain = { style: { head: [], border: [], compact: true } };

/**
 * `wavefold doctor`
 *
 * @throws {UsageError} when a check fails or there is no adapter; the report is written by then.
 */
export async function doctor(options: DoctorOptions): Promise<void> {
  const { json: path, types = Object.keys(elementTypes) } = options;
  const unknown = types.find((type) => !Object.hasOwn(elementTypes, type));
  if (unknown !== undefined) {
    throw new UsageError(
      `doctor: there is no type "${unknown}"; types are ${Object.keys(elementTypes).join(", ")}`,
    );
  }
  // What could fail at the end is opened first.
  const json = path === undefined ? undefined : await reportTarget(path);
  const say = async (text: string): Promise<void> => {
    // Stdout has either the report for people or the one for programs.
    if (path !== DASH) {
      await print(`${text}\n`);
    }
  };
  const versions = versionsOf();
  const system = operatingSystem();
  await say(aboutHost(versions, system));
  const examined = await examine(options.adapter, types, say);
  const verdicts = verdictsOf(examined);
  const { works, summary } = summaryOf(examined);
  const report: DoctorReport = {
    version: 1,
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
  await doAll([
    () => say(`\n${verdicts.map(lineOf).join("\n")}\n\n${summary}.${open}`),
    async () => json?.write(Buffer.from(`${JSON.stringify(report, undefined, 1)}\n`)),
  ]);
  if (!works) {
    throw new UsageError(`doctor: ${summary}`);
  }
}

/** Opens an adapter, and checks all that it can be checked for. */
async function examine(
  asked: AdapterOption["adapter"],
  types: readonly string[],
  say: (text: string) => Promise<void>,
): Promise<Examined> {
  const opened = startOpening("doctor", "looking for an adapter, and testing single passes on it");
  const options: AdapterOption = { adapter: asked };
  const none: Examined = { ...nothingFound, asked };
  let lost: SinglePassTest | undefined;
  let isOpen = false;
  const work = async (fold: Fold): Promise<Examined> => {
    isOpen = true;
    opened();
    const gpu = fold.software && asked !== "software" ? whyNoGpu(canFindGpu()) : null;
    const singlePass = lost ?? fold.singlePassTest ?? null;
    await say(describe(fold, singlePass ?? undefined));
    const selfTest = await check(fold, types);
    await say(`\n${tableOf(selfTest)}`);
    // Last, since these may lose the device.
    const litmus = await runLitmus(fold);
    return { ...none, adapter: factsOf(fold, cardOf(fold)), gpu, singlePass, selfTest, litmus };
  };
  const start = performance.now();
  try {
    try {
      return await withFold(options, work, { testSinglePass: true });
    } catch (cause) {
      if (!(cause instanceof DeviceLostError) || isOpen) {
        throw cause;
      }
      // The test is what lost the device. A new one is checked without it.
      lost = { passed: false, detail: oneLine(cause), milliseconds: Math.round(performance.now() - start) };
      return await withFold(options, work);
    }
  } catch (cause) {
    if (cause instanceof DeviceLostError) {
      return { ...none, error: oneLine(cause), singlePass: lost ?? null };
    }
    if (cause instanceof AdapterError || cause instanceof MissingPackageError) {
      // Without the package webgpu, no adapter was looked for.
      const gpu = asked === "software" || cause.package === "webgpu" ? null : whyNoGpu(canFindGpu());
      return { ...none, error: oneLine(cause), gpu };
    }
    throw cause;
  } finally {
    opened();
  }
}

async function check(fold: Fold, types: readonly string[]): Promise<SelfTestResult> {
  const tests = selfTests(fold, types);
  const progress = startSteps("doctor", tests.length, "checks");
  try {
    return resultOf(await runSelfTests(tests, progress.step));
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

/** What runs, and where. */
function aboutHost(versions: Versions, { name, release, platform, arch }: OperatingSystem): string {
  const table = new Table({ ...plain });
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
  return table.toString();
}

const cardOf = ({ software, adapterInfo }: Fold): string | undefined =>
  software ? undefined : cardName(adapterInfo, thisSystem());

/** What the adapter is, has, and was found to do. */
export function describe(fold: Fold, singlePass: SinglePassTest | undefined = fold.singlePassTest): string {
  const { name, software, features, subgroupSizes, limits } = factsOf(fold, cardOf(fold));
  const table = new Table({ ...plain });
  table.push(
    ["adapter", name],
    ["kind", software ? "software" : "GPU"],
    ["features", features.join("\n") || "none"],
    ["single pass", singlePass === undefined ? "not tested" : verdictOf(singlePass)],
    ["subgroup size", subgroupSizes?.join(" to ") ?? "not told"],
    ...shownLimits.map((limit) => [limit, String(limits[limit])]),
  );
  return table.toString();
}

/** A failure is no error: the adapter reads data twice then, and its results are right. */
const verdictOf = ({ passed, detail, milliseconds }: SinglePassTest): string =>
  passed ? `passed: ${detail} in ${milliseconds} ms` : `FAILED, so data is read twice by default:\n${detail}`;

/** A row for each type and algorithm, the failures one by one, and the sum. */
function tableOf({ groups, failures, passed, failed, skipped }: SelfTestResult): string {
  const table = new Table({ ...plain, head: ["self-test", "algorithm", "passed", "failed", "skipped"] });
  for (const group of groups) {
    const reason = group.reason === null ? "" : `: ${group.reason}`;
    table.push([group.type, group.algorithm, group.passed, group.failed, `${group.skipped}${reason}`]);
  }
  return [
    table.toString(),
    ...failures.map((one) => `failed: ${one.title}: ${one.detail}`),
    `self-test: ${failed === 0 ? "passed" : "FAILED"} (${passed} passed, ${failed} failed, ${skipped} skipped)`,
  ].join("\n");
}

const states = { ok: "ok    ", note: "note  ", failed: "FAILED" } as const;
/** Paths of drivers come from files. */
const lineOf = ({ about, state, text }: Verdict): string =>
  `${states[state]}  ${about}: ${withoutCodes(text)}`;
