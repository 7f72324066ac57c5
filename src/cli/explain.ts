import type { Option } from "commander";
import { fileFor, traitsOf } from "../adapters/adapter.ts";
import { describedAdapters } from "../adapters/described.ts";
import { monoid } from "../algebra/monoid.ts";
import { LimitError } from "../errors.ts";
import type { CallExplained } from "../gpu/at_hand/choose_cpu.ts";
import { explainCall } from "../gpu/at_hand/choose_cpu.ts";
import { contextOf } from "../gpu/device/device.ts";
import type { DeviceFacts } from "../plan/device_facts.ts";
import type { Explained, ExplainedKernel, Traffic } from "../plan/explain.ts";
import { explainKernels, explainPlan } from "../plan/explain.ts";
import { factsOf } from "./adapter_facts.ts";
import { counted, UsageError } from "./errors.ts";
import type { ExplainPlanOptions, Explanation } from "./explain_plans.ts";
import { explained, planFor } from "./explain_plans.ts";
import { DASH } from "./files.ts";
import { print, reportTarget } from "./print.ts";
import { combinedType } from "./types_of_calls.ts";
import { withGpu } from "./with_fold.ts";

/** Options of `wavefold explain`. */
export interface ExplainOptions extends ExplainPlanOptions {
  readonly adapter?: keyof typeof describedAdapters;
  /** False for a plan without them, whatever the adapter has. */
  readonly subgroups: boolean;
  readonly files?: true;
  readonly json?: string;
}

/** The adapter that a plan was made for. */
interface ExplainedAdapter {
  readonly name: string;
  /** Whether it is only described, so that no GPU was asked. */
  readonly described: boolean;
  /** The file that has its tables of sizes. */
  readonly file: string;
}

/** What `--json` writes. The version changes when a field goes or means something else. */
export interface ExplainReport extends Explained {
  readonly version: 1;
  readonly primitive: string;
  readonly adapter: ExplainedAdapter;
  /** The file that has the sizes: the adapter's, or that of an operator that brings its own. */
  readonly sizesFrom: string;
  /** Which machine takes the call on arrays at hand, and why. Such a call has its length at hand, too. */
  readonly atHand?: CallExplained;
  /** With `--files`. */
  readonly kernels?: readonly ExplainedKernel[];
}

const names: Readonly<Record<keyof typeof describedAdapters, string>> = {
  nvidia: "an NVIDIA GPU",
  gpu: "a GPU of no known vendor",
  software: "a software adapter",
};

/** `wavefold explain`. `flags` are all that the command has, and `given` those that were given. */
export async function explain(
  what: string,
  options: ExplainOptions,
  flags: readonly Option[],
  given: readonly Option[],
): Promise<void> {
  const primitive = explained.find(({ name }) => name.toLowerCase() === what.toLowerCase());
  if (primitive === undefined) {
    throw new UsageError(`explain: ${what} is none of ${explained.map(({ name }) => name).join(", ")}`);
  }
  requireFitting(primitive, options, flags, given);
  const json = options.json === undefined ? undefined : await reportTarget(options.json);
  const report = await withFacts(options.adapter, (facts, adapter) =>
    options.subgroups
      ? reportOf(primitive, options, facts, adapter)
      : reportOf(primitive, options, withoutSubgroups(facts), {
          ...adapter,
          name: `${adapter.name} without subgroups`,
        }),
  );
  if (options.json !== DASH) {
    await print(textOf(report));
  }
  await json?.write(Buffer.from(`${JSON.stringify(report, undefined, 1)}\n`));
}

/** @throws {UsageError} for an option that a primitive does not take, or that it lacks. */
function requireFitting(
  { name, takes, described }: Explanation,
  options: ExplainOptions,
  flags: readonly Option[],
  given: readonly Option[],
): void {
  const nameOf = (flag: Option): string => flag.attributeName();
  const stranger = given.find(
    (flag) => !takes.includes(nameOf(flag)) && explained.some((other) => other.takes.includes(nameOf(flag))),
  );
  if (stranger !== undefined) {
    const taken = takes.flatMap((one) => flags.find((flag) => nameOf(flag) === one) ?? []);
    throw new UsageError(
      `explain ${name}: ${shortest(stranger)} means nothing to it; it takes ${taken.map(shortest).join(", ")}`,
    );
  }
  const needs = flags.filter((flag) => described?.primitive.numbers?.includes(nameOf(flag)));
  const missing = needs.find((flag) => !given.includes(flag));
  if (missing !== undefined) {
    throw new UsageError(`explain ${name}: ${missing.flags} is missing`);
  }
  if (name === "sort" && options.rows !== undefined && options.lengthOnGpu) {
    throw new UsageError(`explain ${name}: --rows and --length-on-gpu do not go together`);
  }
}

/** `--key` of `--key <expr>`. */
const shortest = ({ long, short }: Option): string => String(long ?? short);

/** The facts of the adapter that is described, or of the machine's own. */
async function withFacts<Result>(
  name: ExplainOptions["adapter"],
  work: (facts: DeviceFacts, adapter: ExplainedAdapter) => Promise<Result>,
): Promise<Result> {
  const fileOf = (facts: DeviceFacts): string => `src/adapters/${fileFor(facts)}`;
  if (name !== undefined) {
    const facts = describedAdapters[name];
    return work(facts, { name: names[name], described: true, file: fileOf(facts) });
  }
  return withGpu({ adapter: "auto" }, (fold) => {
    const { facts } = contextOf(fold.device);
    return work(facts, { name: factsOf(fold).name, described: false, file: fileOf(facts) });
  });
}

const withoutSubgroups = (facts: DeviceFacts): DeviceFacts => ({
  ...facts,
  features: new Set([...facts.features].filter((feature) => feature !== "subgroups")),
});

async function reportOf(
  primitive: Explanation,
  options: ExplainOptions,
  facts: DeviceFacts,
  adapter: ExplainedAdapter,
): Promise<ExplainReport> {
  const { length, files } = options;
  const { name, described } = primitive;
  try {
    const { plan, params } = await planFor(primitive, options, facts);
    const { passes, algorithm } = options;
    const told = explainPlan(plan, length, {
      facts,
      passes,
      algorithm,
      params,
      ways: described?.help.ways,
    });
    return {
      version: 1,
      primitive: name,
      adapter,
      sizesFrom: sizesFrom(name, options, facts, adapter),
      ...told,
      ...(!options.lengthOnGpu && { atHand: atHand(described?.primitive.name ?? name, options, facts) }),
      ...(files && { kernels: explainKernels(plan, length, { params }) }),
    };
  } catch (cause) {
    if (cause instanceof LimitError && cause.option === "maxLength" && goesInWindows(name, options)) {
      throw new UsageError(
        `explain ${name}: ${cause.message}; longer data goes in windows, which explain does not show`,
      );
    }
    throw cause;
  }
}

/** Which machine takes a call of a method of `Fold` at hand, by the adapter's table. */
function atHand(
  method: string,
  { length, rows, op, algorithm, passes }: ExplainOptions,
  facts: DeviceFacts,
): CallExplained {
  if (algorithm !== undefined || passes !== undefined) {
    return { machine: "gpu", why: "The CPU has no kernels, and an option names some." };
  }
  const ofSegments = rows !== undefined && (method === "scan" || method === "reduce");
  const { cpuLengths: lengths } = traitsOf(facts);
  const name = op?.mostBytes ? "exactAdd" : ofSegments ? "segments" : method;
  return explainCall({ cpu: { lengths } }, name, length);
}

/** Whether a recording divides data that no binding holds. */
const goesInWindows = (primitive: string, { rows }: ExplainOptions): boolean =>
  rows === undefined && (primitive === "scan" || primitive === "reduce" || primitive === "compact");

/** The file that has the sizes of the kernels. */
function sizesFrom(
  primitive: string,
  { op, type, passes }: ExplainOptions,
  facts: DeviceFacts,
  { file }: ExplainedAdapter,
): string {
  // A single pass does not take the tiles of an operator.
  const takesOperators = primitive === "reduce" || (primitive === "scan" && passes !== "single");
  return takesOperators &&
    traitsOf(facts).takesTilesOfOperators &&
    monoid(op, combinedType(type), primitive).domain.row
    ? "src/algebra/exact_add.ts"
    : file;
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** `4 MiB`, `3.81 MiB`, `512 bytes`. */
export function formatBytes(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${Number((bytes / 1024 ** power).toPrecision(power === 0 ? 4 : 3))} ${UNITS[power]}`;
}

const trafficText = (all: readonly Traffic[]): string =>
  all.map(({ what, bytes, atMost }) => `${what} ${atMost ? "≤ " : ""}${formatBytes(bytes)}`).join(", ") ||
  "nothing";

/** Rows whose columns are as wide as their longest cells. A row of one cell is a line. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.filter((row) => row.length > 1).map((row) => row[at]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, at) => (row.length === 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/** Lines with a name in front of the first. */
const named = (name: string, lines: readonly string[]): string[] =>
  lines.map((line, at) => `${(at === 0 ? name : "").padEnd(9)}${line}`);

const lies = {
  vectors: "input and output are two buffers, and each range starts at a vector",
  items: "input and output are two buffers, and ranges start at any item",
} as const;

function sizesLine({ sizes, table, sizesFrom }: ExplainReport): string {
  const where = table === undefined || !sizesFrom.includes("/adapters/") ? "" : `${table} in `;
  return sizes === undefined
    ? `those of the dispatches below; ${where}${sizesFrom} has them`
    : `${sizes.workGroupSize} threads × ${counted(sizes.itemsPerThread, "item")}, a tile of ${sizes.workGroupSize * sizes.itemsPerThread} items; ${where}${sizesFrom} has them`;
}

function movesLines({ bytesRead, bytesWritten, copies, bounds }: ExplainReport): string[] {
  const most = bounds.length > 0 ? "at most " : "";
  const as = copies === undefined ? "" : `, as ${copies.toFixed(2)} copies of the input`;
  return [
    `${most}${formatBytes(bytesRead + bytesWritten)}${as} (reads ${formatBytes(bytesRead)}, writes ${formatBytes(bytesWritten)})`,
    ...bounds,
    ...(copies === undefined ? [] : ["If memory sets the pace, it takes as long as that many copies."]),
  ];
}

function scratchNote(late: boolean, bound: boolean): string {
  if (bound) {
    return "";
  }
  return late
    ? "only for ranges that lie in another way; made when a recording first needs it"
    : "only for ranges that lie in another way, or for other lengths";
}

/** The most dispatches that come again together, such as those of two digits of a sort. */
const MOST_TOGETHER = 12;

/** Rows of dispatches. Where some come again and again, a line that has one cell says so. */
function folded(rows: readonly (readonly string[])[]): (readonly string[])[] {
  const isSame = (a: number, b: number): boolean =>
    a < rows.length && b < rows.length && rows[a]?.slice(1).join() === rows[b]?.slice(1).join();
  const result: (readonly string[])[] = [];
  for (let at = 0; at < rows.length; ) {
    const [size, times] = repeated(at, rows.length, isSame);
    result.push(...rows.slice(at, at + size));
    at += size * times;
    if (times > 1) {
      const again = size === 1 ? "the same again" : `these ${size} again`;
      result.push([`   ${again}${times === 2 ? "" : `, ${times - 1} times`}, up to dispatch ${at}`]);
    }
  }
  return result;
}

/** How many dispatches from one on come again together, and how often they are there. */
function repeated(
  at: number,
  end: number,
  isSame: (a: number, b: number) => boolean,
): readonly [size: number, times: number] {
  for (let size = 1; size <= MOST_TOGETHER; size++) {
    let next = at + size;
    while (next < end && isSame(next - size, next)) {
      next++;
    }
    const times = Math.floor((next - at) / size);
    // A line that says it takes a line, too.
    if ((times - 1) * size > 1) {
      return [size, times];
    }
  }
  return [1, 1];
}

/** The report for people. */
function textOf(report: ExplainReport): string {
  const { title, length, adapter, way, why, dispatches, scratch, kernels, arrangement, atHand } = report;
  const lie = lies[arrangement as keyof typeof lies];
  const table = aligned([
    ["", "dispatch", "work-groups", "threads of each", "reads", "writes"],
    ...folded(
      dispatches.map((one, at) => [
        String(at + 1).padStart(String(dispatches.length).length),
        one.kernel,
        String(one.workGroups).padStart("work-groups".length),
        String(one.threads).padStart("threads of each".length),
        trafficText(one.reads),
        trafficText(one.writes),
      ]),
    ),
  ]);
  const buffers = scratch.filter(({ bytes }) => bytes > 0);
  const lines = [
    `${title}, ${counted(length, "item")}, on ${adapter.name}${adapter.described ? " as described: no GPU was asked" : ""}`,
    "",
    ...named("way", [way]),
    ...named("why", why),
    ...named("sizes", [sizesLine(report)]),
    ...named("ranges", lie === undefined ? [] : [lie]),
    ...named(
      "at hand",
      atHand === undefined ? [] : [`on the ${atHand.machine.toUpperCase()}. ${atHand.why}`],
    ),
    "",
    ...table,
    "",
    ...named(
      "scratch",
      buffers.length === 0
        ? ["none"]
        : aligned(
            buffers.map(({ name, bytes, late, bound }) => [
              name,
              formatBytes(bytes),
              scratchNote(late, bound),
            ]),
          ),
    ),
    ...named("moves", movesLines(report)),
    ...(kernels ?? []).flatMap(kernelLines),
  ];
  return `${lines.join("\n")}\n`;
}

/** A kernel's files, one a line: what each does in its slot, and those of its names that are in the kernel. */
function kernelLines({ entryPoint, dispatches, files }: ExplainedKernel): string[] {
  return [
    "",
    `files of ${entryPoint} (dispatch ${dispatches.join(", ")})`,
    ...aligned(
      files.map(({ name, roles, declares, replaces }) => [
        `  ${name}`,
        roles.join("; "),
        declares
          .map((one) => {
            const replaced = replaces.find((other) => other.name === one);
            return replaced === undefined ? one : `${one} (in place of that of ${replaced.file})`;
          })
          .join(", "),
      ]),
    ),
  ];
}
