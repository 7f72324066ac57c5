import type { Kernel } from "../kernels/kernel.ts";
import { rolesOf } from "../kernels/slots.ts";
import type { LinkedFile } from "../text/linked_files.ts";
import { filesOf } from "../text/linked_files.ts";
import { parse } from "../text/module.ts";
import type { Asked } from "./explain_way.ts";
import { wayOf } from "./explain_way.ts";
import type { Grouping } from "./grouping.ts";
import type { Bindable, Pass, PassParams, Plan, Scratch, Variant } from "./plan.ts";
import { distinct, itemBytesOf, RUNS } from "./plan.ts";
import { itemsOfRange } from "./ranges.ts";

// What a plan does, as data for people: nothing here changes what it does.

/** The bytes of a range or of scratch that a dispatch reads or writes. */
export interface Traffic {
  /** The name of the caller's range, or of the scratch. */
  readonly what: string;
  readonly bytes: number;
  /** Whether the data decides how many of these bytes it is. */
  readonly atMost: boolean;
}

/** One dispatch. */
export interface ExplainedDispatch {
  /** The entry point. */
  readonly kernel: string;
  readonly workGroups: number;
  /** Threads of a work-group. */
  readonly threads: number;
  readonly reads: readonly Traffic[];
  readonly writes: readonly Traffic[];
}

/** A buffer that a plan makes. */
export interface ExplainedScratch {
  readonly name: string;
  readonly bytes: number;
  /** Whether it is made when a recording first needs it. */
  readonly late: boolean;
  /** Whether these dispatches bind it. Others are for other lengths, or for ranges that lie in another way. */
  readonly bound: boolean;
}

/** A kernel, and the files that it is made of. Two kernels may have the same entry point. */
export interface ExplainedKernel {
  readonly entryPoint: string;
  /** The dispatches that run it, counted from 1. */
  readonly dispatches: readonly number[];
  readonly files: readonly ExplainedFile[];
}

/** A file of a kernel. */
interface ExplainedFile extends LinkedFile {
  /** What it does in its slot, which is its folder. */
  readonly roles: readonly string[];
}

/** What a plan does for a length. */
export interface Explained {
  /** `scan<u32, add>`. */
  readonly title: string;
  readonly length: number;
  /** How the ranges lie for which these dispatches are. */
  readonly arrangement: string;
  /** How the plan goes about it, such as "a single pass"; and the facts that decided that, a sentence each. */
  readonly way: string;
  readonly why: readonly string[];
  /** The table of sizes in the adapter's file. */
  readonly table: string | undefined;
  /** The order of operations; undefined for a plan that combines nothing, or that combines in any order. */
  readonly grouping: Grouping | undefined;
  readonly sizes: Pick<Grouping, "workGroupSize" | "itemsPerThread"> | undefined;
  readonly dispatches: readonly ExplainedDispatch[];
  /** The buffers that the plan makes. */
  readonly scratch: readonly ExplainedScratch[];
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** In how many copies of the input the dispatches move as many bytes; undefined without input. */
  readonly copies: number | undefined;
  /** What of this is only known to be the most, a sentence each. */
  readonly bounds: readonly string[];
}

/** What a plan was made from, as far as it does not tell itself. */
export interface ExplainOptions extends Asked {
  /** The parameters of the recording, such as the columns of segments. */
  readonly params?: PassParams;
  /** The default is the first: two buffers, and both ranges start at a vector if the plan takes vectors. */
  readonly variant?: Variant;
}

/**
 * Tells what a plan does for a length: its way, its dispatches, and the bytes that they move. Each dispatch counts what it reads once,
 * however often it reads it, since caches hold what it reads again. Scratch is that of the longest length that the plan takes.
 */
export function explainPlan(plan: Plan, length: number, options: ExplainOptions): Explained {
  const { params = {}, variant = plan.variants[0] as Variant } = options;
  const { arrangement, aside } = variant;
  const passes = plan.passes(length, arrangement, aside, params);
  const names = namesOf(plan.scratch);
  const dispatches = passes.map((pass) => dispatchOf(plan, pass, length, params, names));
  const totalOf = (which: "reads" | "writes"): number =>
    dispatches.flatMap((one) => one[which]).reduce((bytes, one) => bytes + one.bytes, 0);
  const [bytesRead, bytesWritten] = [totalOf("reads"), totalOf("writes")];
  const inputBytes = itemsOfRange(plan, "input", length, params) * itemBytesOf(plan, "input");
  const grouping = groupingOf(plan, passes, variant);
  return {
    title: plan.title,
    length,
    arrangement,
    ...wayOf(plan, passes, grouping, variant, options),
    grouping,
    sizes:
      grouping === undefined
        ? plan.sizes
        : { workGroupSize: grouping.workGroupSize, itemsPerThread: grouping.itemsPerThread },
    dispatches,
    scratch: plan.scratch.map((one) => ({
      name: names.get(one) ?? one.name,
      bytes: one.bytes,
      late: one.late === true,
      bound: passes.some(({ bindings }) => Object.values(bindings).includes(one)),
    })),
    bytesRead,
    bytesWritten,
    copies: inputBytes === 0 ? undefined : (bytesRead + bytesWritten) / (2 * inputBytes),
    bounds: boundsOf(plan, passes, dispatches),
  };
}

/** The names of buffers. A plan inside another plan may have buffers of the same names, so a number tells them apart. */
function namesOf(scratch: readonly Scratch[]): ReadonlyMap<Bindable, string> {
  const counts = new Map<string, number>();
  return new Map(
    scratch.map((one) => {
      const count = (counts.get(one.name) ?? 0) + 1;
      counts.set(one.name, count);
      return [one, count === 1 ? one.name : `${one.name} (${count})`];
    }),
  );
}

/** The kernels of the dispatches for a length, and their files. */
export function explainKernels(
  plan: Plan,
  length: number,
  { params = {}, variant = plan.variants[0] as Variant }: Pick<ExplainOptions, "params" | "variant"> = {},
): readonly ExplainedKernel[] {
  const passes = plan.passes(length, variant.arrangement, variant.aside, params);
  // Two passes may have made the same text.
  return distinct(passes.map(({ kernel }) => kernel)).map((kernel) => ({
    entryPoint: kernel.entryPoint,
    dispatches: passes.flatMap((one, at) => (one.kernel.code === kernel.code ? [at + 1] : [])),
    files: filesOf(kernel).map((file) => ({
      ...file,
      roles: file.declares.includes(kernel.entryPoint)
        ? ["the entry point"]
        : rolesOf(file.name, file.declares),
    })),
  }));
}

/** The order of operations, as a recording tells it. */
function groupingOf(plan: Plan, passes: readonly Pass[], { arrangement }: Variant): Grouping | undefined {
  const first = passes.find(({ kernel }) => kernel.entryPoint !== "count_work_groups");
  try {
    return plan.groupingOf(arrangement, first?.params);
  } catch {
    // A plan that combines no elements says so.
    return undefined;
  }
}

/** The constants that a kernel's text declares, such as WORK_GROUP_SIZE. */
export const constantOf = ({ code }: Kernel, name: string): number | undefined => {
  const value = new RegExp(`^const ${name} = (\\d+)u;`, "m").exec(code)?.[1];
  return value === undefined ? undefined : Number(value);
};

function threadsOf(kernel: Kernel): number {
  const size = /@workgroup_size\((\w+)\)/.exec(kernel.code)?.[1] ?? "";
  return constantOf(kernel, size) ?? Number.parseInt(size, 10);
}

function dispatchOf(
  plan: Plan,
  pass: Pass,
  length: number,
  params: PassParams,
  names: ReadonlyMap<Bindable, string>,
): ExplainedDispatch {
  const { kernel, tiles, bindings } = pass;
  const traffic = { reads: new Map<string, Traffic>(), writes: new Map<string, Traffic>() };
  for (const [variable, from] of Object.entries(bindings)) {
    // Items are counted by their flags alone. The kernel loads the items, too, and compilers leave these loads out.
    const isIdle = kernel.entryPoint === "count_tiles" && variable === "input" && "flags" in bindings;
    const uses = isIdle ? { reads: false, writes: false } : usesOf(kernel, variable);
    for (const which of ["reads", "writes"] as const) {
      if (uses[which]) {
        const isInput = which === "reads" && variable === "output" && from === "output";
        const moved = trafficOf(plan, pass, isInput ? "input" : from, length, params, which === "writes");
        const what = names.get(from) ?? moved.what;
        traffic[which].set(what, { ...moved, what });
      }
    }
  }
  return {
    kernel: kernel.entryPoint,
    workGroups: tiles,
    threads: threadsOf(kernel),
    reads: [...traffic.reads.values()],
    writes: [...traffic.writes.values()],
  };
}

/**
 * Whether a kernel reads a variable, and whether it writes it: as its text does, since `read_write` is needed for either. What it reads of
 * the output is its last vector, which it completes; unless the input is read there.
 */
function usesOf({ bindings, code }: Kernel, variable: string): { reads: boolean; writes: boolean } {
  if (bindings.get(variable)?.kind !== "read_write") {
    return { reads: bindings.has(variable), writes: false };
  }
  const uses = { reads: false, writes: false };
  // A function may have a name of its own that is that of the variable.
  const shadow = new RegExp(`\\b(?:let|var|const)\\s+${variable}\\b|[(,]\\s*${variable}\\s*:`);
  const text = parse(code)
    .declarations.filter((declaration) => declaration.keyword !== "fn" || !shadow.test(declaration.text))
    .map((declaration) => declaration.text.replace(/\/\/.*/g, ""))
    .join("\n");
  for (const { index } of text.matchAll(new RegExp(`(?<![.\\w])${variable}\\b(?!:)`, "g"))) {
    const atomic = /atomic(\w+)\(\s*&\s*$/.exec(text.slice(0, index))?.[1];
    const isStore = atomic === "Store" || (atomic === undefined && isAssigned(text, index + variable.length));
    uses.writes ||= isStore || (atomic !== undefined && atomic !== "Load");
    uses.reads ||= !(isStore || (variable === "output" && bindings.has("input")));
  }
  return uses;
}

/** Whether `=` follows what stands behind a variable: indices and members. */
function isAssigned(text: string, from: number): boolean {
  let at = from;
  for (let depth = 0; depth > 0 || /[[.\w]/.test(text[at] ?? ""); at++) {
    depth += text[at] === "[" ? 1 : text[at] === "]" ? -1 : 0;
    if (depth === 0 && text[at] === "]" && !/[[.]/.test(text[at + 1] ?? "")) {
      at++;
      break;
    }
  }
  return /^\s*=(?!=)/.test(text.slice(at));
}

/** Passes whose results are as long as the data decides: what is kept, or how many runs there are. */
const keeps: ReadonlySet<string> = new Set(["compact_single_pass", "compact_tiles"]);

/** The most items of a range that work-groups read where they look at some of it: selections, after their first pass. */
const mostRead: Readonly<Record<string, (pass: Pass) => number>> = {
  first_of_blocks: ({ kernel, tiles, params }) => (tiles * threadsOf(kernel)) << (params?.block_shift ?? 0),
  first_of_tiles: ({ kernel, tiles, params }) =>
    (tiles * (threadsOf(kernel) / (constantOf(kernel, "LANES") ?? 1))) << (params?.block_shift ?? 0),
  take_first: ({ kernel }) => kernel.tile,
  take_blocks: ({ kernel }) => kernel.tile,
  choose_first_blocks: ({ kernel }) => kernel.tile,
};

function trafficOf(
  plan: Plan,
  pass: Pass,
  from: Bindable,
  length: number,
  params: PassParams,
  isWritten: boolean,
): Traffic {
  const { entryPoint } = pass.kernel;
  if (typeof from === "object") {
    return { what: from.name, bytes: scratchBytes(plan, from), atMost: false };
  }
  const items = itemsOfRange(plan, from, length, params);
  const most = isWritten ? undefined : mostRead[entryPoint]?.(pass);
  const isKept =
    isWritten &&
    (findsRuns(plan) || (keeps.has(entryPoint) && !storesAll(plan))) &&
    (from === "output" || from === "unique" || from === "rest");
  return {
    what: from,
    // A pass that looks at fewer items than the recording has reads and writes no more of the ranges that have an entry for each.
    bytes: (items === length ? Math.min(items, pass.length, most ?? items) : items) * itemBytesOf(plan, from),
    atMost: isKept || (most !== undefined && most < length) || (entryPoint === "count_left" && !isWritten),
  };
}

/** A spine has tickets for each of its runs, and an execution takes those of one. */
const scratchBytes = ({ spine }: Plan, scratch: Scratch): number =>
  scratch.bytes - (spine?.scratch === scratch ? RUNS * 4 : 0);

/** Whether the data decides how many segments there are. */
const findsRuns = ({ segments, needs }: Plan): boolean => segments?.reduces === true && needs.has("count");

/** A partition stores all items, kept or not. */
const storesAll = ({ title, needs }: Plan): boolean => title.startsWith("partition") && !needs.has("rest");

/** Why bytes are only known to be the most. */
function boundsOf(
  plan: Plan,
  passes: readonly Pass[],
  dispatches: readonly ExplainedDispatch[],
): readonly string[] {
  const has = (...names: readonly string[]): boolean =>
    passes.some(({ kernel }) => names.includes(kernel.entryPoint));
  const isMost = (of: "reads" | "writes", what: string): boolean =>
    dispatches.some((one) => one[of].some((moved) => moved.atMost && moved.what === what));
  return [
    ...(findsRuns(plan)
      ? ["The data decides how many runs there are: this is for as many runs as items."]
      : isMost("writes", "output")
        ? ["The data decides how many items are kept: this is for all of them."]
        : []),
    ...(has("count_left")
      ? ["The data decides how many digits are looked at: once the element is found, no dispatch reads more."]
      : isMost("reads", "input")
        ? ["The data decides which blocks are read again: this is for the most."]
        : []),
    ...(plan.needs.has("length") ? ["The length is on the GPU: this is for the longest."] : []),
  ];
}
