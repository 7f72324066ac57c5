import Table from "cli-table3";
import type { Fold, SinglePassTest } from "../node.ts";
import { UsageError } from "./errors.ts";
import type { AdapterOption } from "./options.ts";
import { withFold } from "./options.ts";
import { print } from "./print.ts";
import { startProgress } from "./progress.ts";
import type { Outcome } from "./self-test.ts";
import { selfTests } from "./self-test.ts";

const shownLimits = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupStorageSize",
  "maxComputeWorkgroupsPerDimension",
  "minStorageBufferOffsetAlignment",
] as const satisfies readonly (keyof GPUSupportedLimits)[];

const CONCURRENT = 8;
const plain = { style: { head: [], border: [] } };

/**
 * `wavefold doctor`
 *
 * @throws {UsageError} when a check fails; the report is on stdout by then.
 */
export async function doctor(options: AdapterOption): Promise<void> {
  const failed = await withFold(
    options,
    async (fold) => {
      await print(`${describe(fold)}\n`);
      const outcomes = await runSelfTests(fold);
      await print(`${summarize(outcomes)}\n`);
      return outcomes.filter((one) => one.verdict === "failed").length;
    },
    { testSinglePass: true },
  );
  if (failed > 0) {
    throw new UsageError(`doctor: the self-test failed, with ${failed} wrong results`);
  }
}

/** What the adapter is, has, and was found to do. */
export function describe({ adapterInfo, software, device, singlePassTest }: Fold): string {
  const { vendor, architecture, device: name, description, subgroupMinSize, subgroupMaxSize } = adapterInfo;
  const table = new Table({ ...plain });
  table.push(
    ["adapter", [description || name, vendor, architecture].filter(Boolean).join(", ") || "it has no name"],
    ["kind", software ? "software" : "GPU"],
    ["features", [...(device.features as unknown as Iterable<string>)].sort().join("\n") || "none"],
    ["single pass", singlePassTest === undefined ? "not tested" : verdictOf(singlePassTest)],
    ["subgroup size", subgroupMinSize ? `${subgroupMinSize} to ${subgroupMaxSize}` : "not told"],
    ...shownLimits.map((name) => [name, String(device.limits[name])]),
  );
  return table.toString();
}

/** A failure is no error: the adapter reads data twice then, and its results are right. */
const verdictOf = ({ passed, detail, milliseconds }: SinglePassTest): string =>
  passed ? `passed: ${detail} in ${milliseconds} ms` : `FAILED, so data is read twice by default:\n${detail}`;

async function runSelfTests(fold: Fold): Promise<Outcome[]> {
  const tests = selfTests(fold);
  const progress = startProgress(tests.length);
  const outcomes: Outcome[] = [];
  // Most of the time goes into compiling, which the adapter does for several at once.
  const queue = tests.entries();
  const work = async (): Promise<void> => {
    for (const [index, { title, run }] of queue) {
      progress.step(title);
      outcomes[index] = await run();
    }
  };
  try {
    await Promise.all(Array.from({ length: CONCURRENT }, work));
  } finally {
    progress.stop();
  }
  return outcomes;
}

/** A row for each type and algorithm, the failures one by one, and the verdict. */
function summarize(outcomes: readonly Outcome[]): string {
  const table = new Table({ ...plain, head: ["self-test", "algorithm", "passed", "failed", "skipped"] });
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const key = `${outcome.type} ${outcome.algorithm}`;
    groups.set(key, [...(groups.get(key) ?? []), outcome]);
  }
  for (const group of groups.values()) {
    const of = (verdict: Outcome["verdict"]): Outcome[] => group.filter((one) => one.verdict === verdict);
    const reason = of("skipped")[0]?.detail;
    table.push([
      group[0]?.type ?? "",
      group[0]?.algorithm ?? "",
      of("passed").length,
      of("failed").length,
      `${of("skipped").length}${reason === undefined ? "" : `: ${reason}`}`,
    ]);
  }
  const count = (verdict: Outcome["verdict"]): number =>
    outcomes.filter((one) => one.verdict === verdict).length;
  const failures = outcomes.filter((one) => one.verdict === "failed");
  return [
    table.toString(),
    ...failures.map((one) => `failed: ${one.title}: ${one.detail}`),
    `self-test: ${failures.length === 0 ? "passed" : "FAILED"} (${count("passed")} passed, ${failures.length} failed, ${count("skipped")} skipped)`,
  ].join("\n");
}
