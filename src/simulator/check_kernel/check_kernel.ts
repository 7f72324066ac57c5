import { refuse, shown } from "../../errors.ts";
import type { Finding } from "../findings.ts";
import { Machine } from "../machine/machine.ts";
import type { Binding, Bound } from "./bindings.ts";
import { bind, elementsOf, onlyScalarOf, typeTextOf } from "./bindings.ts";
import type { Compared, Differing, Results } from "./compare.ts";
import { both, differenceFound, differing, except, isNone } from "./compare.ts";
import type { Kernel } from "./kernel.ts";
import { kernelOf } from "./kernel.ts";
import type { Run, RunOptions } from "./machines.ts";
import { moreRuns, otherOrders, runsOf } from "./machines.ts";
import type { NotRun } from "./not_run.ts";
import { linesNotRun } from "./not_run.ts";
import type { CheckOptions, Chosen } from "./options.ts";
import { CALLER, chosenOf } from "./options.ts";
import type { Override } from "./text.ts";

/** A finding of a check, and in which of its runs it was. */
export interface CheckFinding extends Finding {
  /** In how many runs it was. */
  readonly runs: number;
  /** The choices of the first of these runs. */
  readonly options: RunOptions;
  /** The numbers in buffers that are others in other runs, by their places, such as `"params.limit"`: their values in that run. */
  readonly values: Readonly<Record<string, number>>;
}

/** A buffer that a check has made, or was given. */
export interface CheckBuffer {
  /** The name of the variable. */
  readonly name: string;
  /** Its `@group`. */
  readonly group: number;
  /** Its `@binding`. */
  readonly binding: number;
  /** Its type, as WGSL writes it. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** The elements of its array without a length; 0 if it has none. */
  readonly elements: number;
  /** The type of all its scalars; undefined if they differ. */
  readonly scalar: "bool" | "i32" | "u32" | "f32" | "f16" | undefined;
  /** Bytes from one of these elements to the next, if it has nothing else; 0 if it has. */
  readonly stride: number;
  /** What it held before a run, such as `"random below 1000"`, `"params.count = 1000"` or `"as given"`. */
  readonly contents: string;
  /** What the first run has left in it. */
  readonly result: Uint8Array;
}

/** What a check has done, and what it has found. */
export interface CheckReport {
  /** The entry point that ran. */
  readonly entryPoint: string;
  /** Its `@workgroup_size`. */
  readonly workGroupSize: readonly [number, number, number];
  /** How many work-groups each run had. */
  readonly dispatch: readonly [number, number, number];
  /** The buffers of its bindings, by group and binding. */
  readonly buffers: readonly CheckBuffer[];
  /** The values of the text's `override`s. */
  readonly overrides: readonly Override[];
  /** How many runs there were. */
  readonly runs: number;
  /** How many more there was no time for. */
  readonly skippedRuns: number;
  /** The sizes of subgroups in these runs. None for a kernel that uses no subgroups. */
  readonly subgroupSizes: readonly number[];
  /** What was found, each once. */
  readonly findings: readonly CheckFinding[];
  /** The lines with statements that ran in no run, so that they were not checked. Other values may lead there. */
  readonly notRun: readonly NotRun[];
}

/**
 * Checks a compute shader: it makes buffers for its bindings, runs it in the simulator under many schedules, sizes of subgroups and orders of
 * lanes, and tells what it found, at the text's lines. It shows faults that came up in these runs, and proves nothing.
 *
 * @throws {SourceError} for a text that does not compile, or that the simulator cannot run, such as one with textures.
 * @throws {ArgumentError} for options that do not exist or do not fit the kernel.
 *
 * @example
 * ```ts
 * import { checkKernel } from "wavefold/simulator";
 *
 * const { findings } = checkKernel(`
 *   @group(0) @binding(0) var<storage, read_write> data: array<u32>;
 *   @compute @workgroup_size(64)
 *   fn main(@builtin(global_invocation_id) id: vec3<u32>) {
 *     data[id.x] += 1u;
 *   }`);
 * findings.map(({ kind, line }) => [kind, line]); // [["out-of-bounds", 5]]
 * ```
 */
export function checkKernel(code: string, options: CheckOptions = {}): CheckReport {
  const check = checkOf(code, options);
  let step = check.next();
  while (!step.done) {
    step = check.next();
  }
  return step.value;
}

/**
 * Does what `checkKernel` does, and lets other work of this thread go on between two runs, such as drawing a page, or the click that aborts the
 * check.
 *
 * @throws {unknown} the signal's reason, if it is aborted.
 *
 * @example
 * ```ts
 * import { checkKernelAsync } from "wavefold/simulator";
 *
 * const signal = AbortSignal.timeout(10_000);
 * const { findings } = await checkKernelAsync(`
 *   @group(0) @binding(0) var<storage, read_write> data: array<u32>;
 *   @compute @workgroup_size(64)
 *   fn main() {
 *     data[0] += 1u;
 *   }`, { signal });
 * findings.map(({ kind, line }) => [kind, line]); // [["race", 5]]
 * ```
 */
export async function checkKernelAsync(
  code: string,
  options: CheckOptions & {
    /** Ends the check before its next run. */
    readonly signal?: AbortSignal;
  } = {},
): Promise<CheckReport> {
  const { signal } = Object(options) as typeof options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    refuse(CALLER, "signal", shown(signal), "an AbortSignal");
  }
  signal?.throwIfAborted();
  const check = checkOf(code, signal === undefined ? options : ({ ...options, signal: undefined } as object));
  for (;;) {
    const step = check.next();
    if (step.done) {
      return step.value;
    }
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
  }
}

/** A check, which stops behind each run. */
function checkOf(code: string, options: CheckOptions): Generator<void, CheckReport> {
  const chosen = chosenOf(options);
  const kernel = kernelOf(String(code), chosen);
  return new Check(kernel, chosen).report();
}

/** As many work-groups as cover the items, in as many dimensions as a work-group has; eight at least. */
function dispatchFor(size: readonly [number, number, number], items: number): [number, number, number] {
  const long = size.flatMap((threads, at) => (threads > 1 ? [at] : []));
  const axes = long.length === 0 ? [0] : long;
  const side = Math.ceil(items ** (1 / axes.length));
  const groups: [number, number, number] = [1, 1, 1];
  for (const axis of axes) {
    groups[axis] = Math.ceil(side / (size[axis] ?? 1));
  }
  for (let turn = 0; groups[0] * groups[1] * groups[2] < LEAST_GROUPS; turn++) {
    const axis = axes[turn % axes.length] ?? 0;
    groups[axis] = 2 * (groups[axis] ?? 1);
  }
  return groups;
}

const LEAST_GROUPS = 8;

/** What a run has left, and what its machine knows of it. */
interface Ran extends Run {
  readonly machine: Machine;
  readonly results: Results;
}

/** How often arrays are made longer, and how long. */
const MOST_FITS = 8;
const MOST_ELEMENTS = 2 ** 22;
/** An index that is so near to an end may be one of a loop that ends too late. */
const NEAR = 8;

/** A run without special choices. */
const FIRST: Run = { options: {}, values: 0 };

/** Kinds of findings after which results may be anything, so that they say nothing. */
const SPOILING: readonly string[] = ["race", "divergence", "stuck"];

class Check {
  readonly #kernel: Kernel;
  readonly #chosen: Chosen;
  readonly #dispatch: readonly [number, number, number];
  /** The elements of arrays. */
  #elements: number;
  /** What buffers hold, by the numbers of the values. */
  readonly #made = new Map<number, readonly Binding[]>();
  /** The numbers of the values with which arrays are known to be long enough. */
  readonly #fitting = new Set<number>();
  /** 1 for each block of the program that has run. */
  readonly #ran: Uint8Array;
  readonly #findings = new Map<string, CheckFinding>();
  /** The first run with each size of subgroups that results can be compared with. */
  readonly #bases = new Map<number | undefined, Ran>();
  /** For each size of subgroups, the words that depend on the order of work-groups and threads, once they are known. */
  readonly #unstable = new Map<number | undefined, Differing>();

  constructor(kernel: Kernel, chosen: Chosen) {
    const { program, buffers, tellsGroupsApart: isMany } = kernel;
    this.#kernel = kernel;
    this.#chosen = chosen;
    this.#dispatch =
      chosen.dispatch ?? (isMany ? dispatchFor(program.workGroupSize, buffers.items) : [1, 1, 1]);
    this.#elements = buffers.items;
    this.#ran = new Uint8Array(program.blocks.length);
  }

  *report(): Generator<void, CheckReport> {
    const { usesSubgroups: takesSizes, entryPoint, program, overrides, buffers } = this.#kernel;
    const { seed, lanes, runs: count, seconds } = this.#chosen;
    const subgroupSizes = takesSizes ? this.#chosen.subgroupSizes : [];
    const { valueCount } = buffers;
    const takes = { seed, valueCount, subgroupSizes, lanes: takesSizes ? lanes : [], runs: count };
    const [first = FIRST, ...others] = runsOf(takes);
    const end = Date.now() + 1000 * seconds;
    const { results } = this.#note(this.#fittingRun(first, first));
    const done = 1 + (yield* this.#runAll(others, first, () => Date.now() > end));
    const skippedRuns = 1 + others.length - done;
    // Other values may lead where no thread has been.
    const more = count === undefined && valueCount > 1 ? moreRuns(first, valueCount) : [];
    const isEnough = (): boolean => Date.now() > end || this.#ran.every(Boolean);
    const runs = done + (yield* this.#runAll(more, first, isEnough));
    return {
      entryPoint,
      workGroupSize: program.workGroupSize,
      dispatch: this.#dispatch,
      buffers: results.map(bufferOf),
      overrides,
      runs,
      skippedRuns,
      subgroupSizes,
      findings: [...this.#findings.values()],
      notRun: linesNotRun(program.blocks, this.#ran),
    };
  }

  /** Does runs until it is enough. Returns how many it did. */
  *#runAll(runs: readonly Run[], first: Run, isEnough: () => boolean): Generator<void, number> {
    let done = 0;
    for (const run of runs) {
      yield;
      if (isEnough()) {
        break;
      }
      this.#note(this.#fittingRun(run, first));
      done++;
    }
    return done;
  }

  /** A run. Nobody said how long arrays are, so they are made longer where the kernel goes far past their end with these values. */
  #fittingRun(run: Run, first: Run): Ran {
    let ran = this.#runOnce(run);
    const before = this.#elements;
    const isFitting = this.#chosen.items !== undefined || this.#fitting.has(run.values);
    for (let turn = 0; turn < MOST_FITS && !isFitting; turn++) {
      const last = ran.machine.outside.get(this.#elements) ?? 0;
      if (last >= MOST_ELEMENTS || !this.#isFar(last, this.#elements)) {
        break;
      }
      this.#elements = last + 1;
      this.#made.clear();
      ran = this.#runOnce(run);
    }
    this.#fitting.add(run.values);
    if (this.#elements > before && this.#bases.size > 0) {
      this.#bases.clear();
      this.#unstable.clear();
      this.#compare(this.#runOnce(first));
    }
    return ran;
  }

  /** Whether an index is not one that a missing check of a thread's number, or a loop that ends too late, would take. */
  #isFar(index: number, elements: number): boolean {
    const { workGroupSize } = this.#kernel.program;
    const threads = [...workGroupSize, ...this.#dispatch].reduce((product, count) => product * count, 1);
    const isOfThreads = index >= threads - 1 && index < threads + NEAR;
    return index >= elements + NEAR && !isOfThreads;
  }

  /** Notes what a run has shown. */
  #note(ran: Ran): Ran {
    const seen = new Set<string>();
    ran.machine.ran.forEach((isRun, block) => {
      this.#ran[block] = (this.#ran[block] ?? 0) | isRun;
    });
    for (const finding of causesAmong(ran.machine.findings)) {
      if (finding.kind !== "out-of-bounds" || !this.#kernel.isChoice(finding.line, finding.column)) {
        this.#add(finding, ran, seen);
      }
    }
    this.#compare(ran);
    return ran;
  }

  #runOnce({ options, values }: Run): Ran {
    const { uninitialized, unordered: unorderedAtomics, file } = this.#chosen;
    const { program, entryPoint } = this.#kernel;
    const machine = new Machine({ ...options, uninitialized, unorderedAtomics });
    machine.context = { file, entryPoint, sites: program.sites };
    const { bound, ranges } = bind(this.#bindingsWith(values));
    program.run(machine, this.#dispatch, ranges);
    return { options, values, machine, results: bound };
  }

  #bindingsWith(values: number): readonly Binding[] {
    let bindings = this.#made.get(values);
    if (bindings === undefined) {
      const { buffers } = this.#kernel;
      bindings = buffers.make(this.#elements, buffers.settings(values));
      this.#made.set(values, bindings);
    }
    return bindings;
  }

  /** Adds a finding, once for each of the places that it names. `seen` are those of this run. */
  #add(finding: Finding, { options, values }: Run, seen: Set<string>): void {
    const { kind, line, otherLine = line, file } = finding;
    const key = [kind, file, Math.min(line, otherLine), Math.max(line, otherLine)].join();
    const known = this.#findings.get(key);
    if (!seen.has(key)) {
      seen.add(key);
      const settings = Object.fromEntries(this.#kernel.buffers.settings(values));
      this.#findings.set(
        key,
        known ? { ...known, runs: known.runs + 1 } : { ...finding, runs: 1, options, values: settings },
      );
    }
  }

  /** Compares a run with one of another size of subgroups, or of the same size with lanes in their order. */
  #compare(ran: Ran): void {
    const isComparable = this.#kernel.usesSubgroups && ran.values === FIRST.values;
    if (!isComparable || ran.machine.findings.some(({ kind }) => SPOILING.includes(kind))) {
      return;
    }
    const { subgroupSize, lanes } = ran.options;
    const base = this.#bases.get(subgroupSize);
    if (base === undefined) {
      if (lanes !== this.#chosen.lanes[0]) {
        return;
      }
      this.#bases.set(subgroupSize, ran);
      const [first] = this.#bases.values();
      if (first !== undefined && first !== ran) {
        this.#reportDifference("subgroup-size", ran, first);
      }
    } else if (lanes !== base.options.lanes) {
      this.#reportDifference("lane-order", ran, base);
    }
  }

  #reportDifference(kind: "subgroup-size" | "lane-order", ran: Ran, other: Ran): void {
    const words = differing(ran.results, other.results);
    if (isNone(words)) {
      return;
    }
    const bases = kind === "subgroup-size" ? [ran, other] : [other];
    const stable = except(words, bases.map((base) => this.#unstableWith(base)).reduce(both));
    if (isNone(stable)) {
      return;
    }
    const compared = (one: Ran): Compared => {
      const { subgroupSize, lanes } = one.options;
      return {
        ...one,
        way: kind === "subgroup-size" ? `subgroups of ${subgroupSize} lanes` : `${lanes} lanes`,
      };
    };
    const { machine } = ran;
    const { site, message } = differenceFound(stable, compared(ran), compared(other));
    const { line, column } = machine.context.sites.at(site) ?? this.#kernel.place;
    const { file, entryPoint } = machine.context;
    this.#add({ kind, file, line, column, entryPoint, threads: [], message }, ran, new Set());
  }

  /** The words that depend on the order of work-groups and threads, with the subgroups of a run. */
  #unstableWith({ options, values, results }: Ran): Differing {
    const { subgroupSize } = options;
    let words = this.#unstable.get(subgroupSize);
    if (words === undefined) {
      words = otherOrders(options)
        .map((one) => differing(this.#runOnce({ options: one, values }).results, results))
        .reduce(both);
      this.#unstable.set(subgroupSize, words);
    }
    return words;
  }
}

/** Findings without what comes of a call that not all threads reach. */
function causesAmong(findings: readonly Finding[]): readonly Finding[] {
  const divergent = new Set(findings.flatMap(({ kind, line }) => (kind === "divergence" ? line : [])));
  return findings.filter(
    ({ kind, line, called }) => called === undefined || kind === "divergence" || !divergent.has(line),
  );
}

function bufferOf({ binding, memory }: Bound): CheckBuffer {
  const { name, group, binding: number, bytes, shape } = binding;
  return {
    name,
    group,
    binding: number,
    type: typeTextOf(binding),
    size: bytes.length,
    elements: elementsOf(binding),
    scalar: onlyScalarOf(binding),
    stride: shape.fixedBytes === 0 ? shape.stride : 0,
    contents: binding.contents,
    result: memory.bytes.slice(),
  };
}
