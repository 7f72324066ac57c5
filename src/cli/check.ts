import process from "node:process";
import { createContext, runInContext } from "node:vm";
import type { ScalarArray } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import type { TypeName } from "../algebra/types.ts";
import { loadDawn } from "../dawn.ts";
import { ArgumentError, MissingPackageError, SourceError } from "../errors.ts";
import type { CheckBuffer, CheckFinding, CheckOptions, CheckReport, NotRun } from "../simulator/index.ts";
import { checkKernel, compileKernel } from "../simulator/index.ts";
import { linkDirectives } from "../wgsl.ts";
import type { Elements } from "./arrays.ts";
import { elementsIn } from "./arrays.ts";
import { arrays, dtypes, typesRead } from "./dtypes.ts";
import { counted, oneLine, UsageError } from "./errors.ts";
import { DASH, openTarget, requireApart } from "./files.ts";
import { readKernel } from "./link.ts";
import { dumpElements } from "./npy.ts";
import { print, reportTarget } from "./print.ts";

/** The options of `wavefold check`, as commander hands them over. */
export interface CheckCommandOptions
  extends Pick<
    CheckOptions,
    | "dispatch"
    | "items"
    | "fill"
    | "lanes"
    | "runs"
    | "seconds"
    | "seed"
    | "subgroupSizes"
    | "uninitialized"
    | "unordered"
  > {
  readonly entry?: string;
  readonly buffer?: readonly string[];
  readonly set?: readonly string[];
  readonly override?: readonly string[];
  readonly show?: readonly string[];
  readonly json?: string;
  readonly compiler?: boolean;
}

/** What is left of `=`, and right of it; undefined if there is none. */
function pairOf(given: string): readonly [string, string | undefined] {
  const at = given.indexOf("=");
  return at < 0 ? [given, undefined] : [given.slice(0, at), given.slice(at + 1)];
}

/** The pairs that an option was given. @throws {UsageError} for one without `=`. */
const pairsOf = (option: string, takes: string, given: readonly string[] = []): [string, string][] =>
  given.map((one) => {
    const [name, value] = pairOf(one);
    if (name === "" || value === undefined || value === "") {
      throw new UsageError(`check: ${option} is ${one}; it takes ${takes}`);
    }
    return [name, value];
  });

function numberOf(option: string, name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value)) {
    throw new UsageError(`check: ${option} ${name}=${text}: this is no number`);
  }
  return value;
}

const overrideOf = (name: string, text: string): number | boolean =>
  text === "true" || text === "false" ? text === "true" : numberOf("--override", name, text);

/** `wavefold check`. Its exit status is 1 if something was found. */
export async function check(path: string, options: CheckCommandOptions): Promise<void> {
  const { entry, buffer, set, override, show = [], json, compiler = true, ...others } = options;
  const shows = show.map(pairOf);
  await requireApart([...shows.flatMap(([, file]) => file ?? []), json ?? []].flat());
  const target = json === undefined ? undefined : await reportTarget(json);
  const { name: file, text: source } = await readKernel(path);
  const text = source.includes("// wavefold:") ? linkDirectives(source, { name: file }) : source;
  const unseen = compiler ? await compiled(text, { file, source }) : "--no-compiler";
  const given = await buffersOf(pairsOf("--buffer", "NAME=file.npy", buffer));
  const dtypesGiven = new Map(given.map(([name, { dtype }]) => [name, dtype]));
  const report = checked(text, dtypesGiven, {
    ...others,
    file,
    source,
    ...(entry !== undefined && { entryPoint: entry }),
    buffers: Object.fromEntries(given.map(([name, { data }]) => [name, data])),
    values: Object.fromEntries(
      pairsOf("--set", "NAME=number", set).map(([name, value]) => [name, numberOf("--set", name, value)]),
    ),
    overrides: Object.fromEntries(
      pairsOf("--override", "NAME=value", override).map(([name, value]) => [name, overrideOf(name, value)]),
    ),
  });
  const shown = shows.map(([key, out]) => [bufferNamed(report, key), out] as const);
  for (const [of, out] of shown) {
    if (out !== undefined) {
      await (await openTarget(out)).write(npyOf(of));
    }
  }
  await target?.write(new TextEncoder().encode(jsonOf(report, unseen === undefined)));
  if (json !== DASH) {
    const printed = shown.filter(([, out]) => out === undefined).map(([of]) => `${valuesText(of)}\n`);
    const seen = unseen === undefined ? "" : `no GPU's compiler has seen the text: ${unseen}\n`;
    await print(`${assumedText(file, report)}${printed.join("")}${seen}${findingsText(file, report)}`);
  }
  process.exitCode = report.findings.length > 0 ? 1 : 0;
}

/** Has Dawn compile a kernel, without a GPU. Returns why it has not, where it cannot. @throws {UsageError} for a text that it refuses. */
async function compiled(
  code: string,
  kernel: { readonly file: string; readonly source: string },
): Promise<string | undefined> {
  try {
    const { create } = await loadDawn();
    await compileKernel(code, { gpu: create(["backend=null"]), ...kernel });
    return undefined;
  } catch (cause) {
    if (cause instanceof SourceError) {
      throw new UsageError(
        `${cause.message.replace(/^(.*?:\d+:\d+: )/, "$1Dawn refuses it: ")}; --no-compiler leaves Dawn out`,
      );
    }
    return cause instanceof MissingPackageError
      ? "the package webgpu, which has one, is not installed"
      : oneLine(cause).replace(/^\w+: /, "");
  }
}

/** How long a check may take before it is given up, if one run alone takes too long. */
const longestMs = (seconds = 0): number => Math.max(60_000, 3000 * seconds);

/** Calls a function, and ends it if it takes too long. */
function within<Result>(milliseconds: number, work: () => Result): Result {
  const context = createContext({ work });
  return runInContext("work()", context, { timeout: milliseconds }) as Result;
}

/** The report, of which errors name the command's options. */
function checked(code: string, dtypesGiven: ReadonlyMap<string, string>, options: CheckOptions): CheckReport {
  const longest = longestMs(options.seconds);
  try {
    return within(longest, () => checkKernel(code, options));
  } catch (cause) {
    if (cause instanceof ArgumentError) {
      throw new UsageError(asOption(withDtypes(cause.message, dtypesGiven)));
    }
    if ((cause as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
      throw new UsageError(
        `check: the runs took more than ${longest / 1000} s; smaller --items, --dispatch or numbers of --set take less`,
      );
    }
    throw cause instanceof SourceError ? new UsageError(cause.message) : cause;
  }
}

const flags: Readonly<Record<string, string>> = {
  entryPoint: "--entry",
  overrides: "--override",
  dispatch: "--dispatch",
  items: "--items",
  buffers: "--buffer",
  values: "--set",
  subgroupSizes: "--subgroup-sizes",
  lanes: "--lanes",
  runs: "--runs",
  seconds: "--seconds",
  seed: "--seed",
  fill: "--fill",
};

const asOption = (message: string): string =>
  message
    .replace(/^checkKernel: (\w+)/, (_, option: string) => `check: ${flags[option] ?? option}`)
    // A list is given without brackets.
    .replace(/ is \[([^\]]*)\];/, " is $1;");

/** The message for a buffer whose elements do not fit: with the dtypes of files in place of arrays. */
function withDtypes(message: string, given: ReadonlyMap<string, string>): string {
  const [known, name = "", list = "", ...binding] =
    /^checkKernel: buffers\["(.*)"\] is a \w+; it takes (.*) or bytes: (\w+) is (.*)$/.exec(message) ?? [];
  if (known === undefined) {
    return message;
  }
  const holders = list.split(" or ");
  const fitting = Object.entries(typesRead).flatMap(([dtype, type]) =>
    holders.includes(holderOf(type)) ? [dtype] : [],
  );
  const [whole] = Object.entries(dtypes).flatMap(([type, dtype]) =>
    holders.includes(holderOf(type as TypeName)) ? [dtype] : [],
  );
  return `checkKernel: buffers ${name} has elements of ${given.get(name)}, and ${binding.join(" is ")}; it takes ${fitting.join(" ")}: convert it with a.astype("${whole}")`;
}

/** The name of what holds elements of files. */
const holderOf = (type: TypeName): string => arrays[dtypes[type]].name;

const buffersOf = (given: readonly [string, string][]): Promise<readonly (readonly [string, Elements])[]> =>
  Promise.all(given.map(async ([name, path]) => [name, await elementsIn(path)] as const));

/** The buffer of a name, of a number of group 0, or of `group:binding`. */
function bufferNamed({ buffers }: CheckReport, key: string): CheckBuffer {
  const found = buffers.find(
    ({ name, group, binding }) =>
      name === key || `${group}:${binding}` === key || (group === 0 && String(binding) === key),
  );
  if (found === undefined) {
    const names = buffers.map(({ name, group, binding }) => `${name} (${group}:${binding})`);
    throw new UsageError(
      `check: --show is ${key}; it takes the kernel's buffers: ${names.join(", ") || "it has none"}`,
    );
  }
  return found;
}

/** What a buffer holds after the first run. Scalars of several types are words of u32. */
function contentsOf({ result, scalar, stride }: CheckBuffer) {
  const type = elementTypes[scalar === "f32" || scalar === "i32" || scalar === "f16" ? scalar : "u32"];
  const holder = { u32: Uint32Array, i32: Int32Array, f32: Float32Array, f16: Uint16Array }[type.name];
  const data: ScalarArray = new holder(result.slice().buffer);
  const each = stride / type.bytes;
  return { type, data, shape: each > 1 ? [data.length / each, each] : [data.length] };
}

const npyOf = (buffer: CheckBuffer): Uint8Array => dumpElements(contentsOf(buffer));

/** How many values a line shows. */
const SHOWN = 32;

function valuesText(buffer: CheckBuffer): string {
  const { data } = contentsOf(buffer);
  const more = data.length > SHOWN ? ` … ${data.length - SHOWN} more` : "";
  return `${buffer.name}: ${Array.from(data.subarray(0, SHOWN), String).join(" ")}${more}`;
}

const times = (sizes: readonly number[]): string => sizes.join(" × ");

/** What a check has assumed. */
function assumedText(file: string, report: CheckReport): string {
  const { entryPoint, workGroupSize, dispatch, buffers, overrides, runs, skippedRuns, subgroupSizes } =
    report;
  const lines = [
    `${file}: ${entryPoint}, ${times(dispatch)} work-groups of ${times(workGroupSize)} threads`,
    ...overrides.map(({ name, value }) => `  override ${name} = ${value}`),
    ...buffers.map((buffer) => {
      const { name, group, binding, type, elements, contents } = buffer;
      const size = elements > 0 ? `, ${counted(elements, "element")}` : "";
      return `  ${group}:${binding} ${name}: ${type}${size}: ${contents}`;
    }),
    `${counted(runs, "run")}${subgroupSizes.length > 0 ? `, with subgroups of ${subgroupSizes.join(", ")} lanes` : ""}${skippedRuns > 0 ? `; there was no time for ${skippedRuns} more` : ""}`,
  ];
  return `${lines.join("\n")}\n`;
}

function findingText(
  { file, line, kind, message, runs, options, values }: CheckFinding,
  all: number,
): string {
  const { seed, subgroupSize, lanes, schedule } = options;
  const sizes = subgroupSize === undefined ? "" : `, subgroups of ${subgroupSize} ${lanes} lanes`;
  const numbers = Object.entries(values).map(([name, value]) => `${name} = ${value}, `);
  const where =
    runs === all
      ? "in all runs"
      : `in ${runs} of ${all} runs: ${numbers.join("")}seed ${seed}, schedule ${schedule}${sizes}`;
  return `${file}:${line}: ${kind}: ${message} (${where})\n`;
}

/** What to do if what was assumed is not what the kernel may rely on. */
const HINT =
  "what was not given was assumed: --items, --dispatch, --set and --buffer say what the kernel may rely on";

/** How many numbers a line names. */
const MOST_NAMED = 3;

/** Lines of the kernel. */
const linesText = ({ line, endLine }: NotRun): string =>
  line === endLine ? `line ${line}` : `lines ${line}-${endLine}`;

/** What did not run, and the options that may change that. */
function notRunText(file: string, { notRun, buffers }: CheckReport): string {
  const namesOf = (pattern: RegExp) => buffers.flatMap(({ contents }) => contents.match(pattern) ?? []);
  // Those that take several values come first: nothing was known of them.
  const assumed = new Set([...namesOf(/[\w.]+(?= = \S+ \()/g), ...namesOf(/[\w.]+(?= = )/g)]);
  const set = [...assumed].slice(0, MOST_NAMED).map((name) => `--set ${name}=…, `);
  const others = `other values may lead there: ${set.join("")}--fill, --items, --buffer`;
  return notRun
    .map(
      (lines) =>
        `${file}:${lines.line}: not run: statements of ${linesText(lines)} never ran in any run, and were not checked; ${others}\n`,
    )
    .join("");
}

function findingsText(file: string, report: CheckReport): string {
  const { findings, notRun, runs } = report;
  const found = findings.length === 0 ? "nothing found" : counted(findings.length, "finding");
  const unchecked = notRun.length === 0 ? "" : `, and ${notRun.map(linesText).join(", ")} not run`;
  return `${findings.map((one) => findingText(one, runs)).join("")}${notRunText(file, report)}${found}${unchecked}; ${HINT}\n`;
}

/** The report without what buffers hold. */
function jsonOf({ buffers, ...report }: CheckReport, isCompiled: boolean): string {
  const facts = buffers.map(({ result: _, ...buffer }) => buffer);
  return `${JSON.stringify({ ...report, isCompiled, buffers: facts }, null, 2)}\n`;
}
