import type { MachineOptions } from "../options.ts";
import type { TraceEvent, TraceKind } from "../trace_event.ts";
import type { Machine, Sites } from "./machine.ts";
import type { Memory } from "./memory.ts";
import { StorageRange } from "./memory.ts";
import type { QuadKind, ShuffleKind } from "./subgroups.ts";
import { WORK_GROUP_MEMORY, WorkGroup } from "./work_group.ts";

// With the option `trace`, dispatches run with the classes of this file, which tell what their base classes do. Compiled kernels are the same.

/** Words of a variable that a thread uses. */
interface Access {
  readonly kind: TraceKind;
  readonly g: WorkGroup;
  readonly t: number;
  readonly site: number;
  readonly memory: "work-group" | "buffer";
  readonly variable: string;
  readonly index: number;
}

/** An access whose words are not there yet. */
interface Pending extends Access {
  words(): readonly number[];
}

/** Tells the events of a machine, in their order. */
class Tracer {
  readonly #machine: Machine;
  readonly #trace: (event: TraceEvent) => void;
  #pending: Pending | undefined;
  #sites: Sites | undefined;
  /** The lines of sites. */
  readonly #lines = new Map<number, number>();

  constructor(machine: Machine, trace: (event: TraceEvent) => void) {
    this.#machine = machine;
    this.#trace = trace;
    // So that a finding comes behind all events before it.
    machine.beforeFinding = () => this.flush();
  }

  /** Tells what was noted before its words were there. By now, they are. */
  flush(): void {
    const pending = this.#pending;
    if (pending !== undefined) {
      this.#pending = undefined;
      this.access(pending, pending.words());
    }
  }

  /** Tells an access, once its words are there. */
  later(access: Pending): void {
    this.#pending = access;
  }

  access(access: Access, words: readonly number[]): void {
    const { kind, g, t, site, memory, variable, index } = access;
    this.#tell(kind, g, site, { threads: [t], memory, variable, index, values: bitsOf(words) });
  }

  /** What several threads do together. */
  together(kind: TraceKind, g: WorkGroup, site: number, rest: Partial<TraceEvent> = {}): void {
    this.#tell(kind, g, site, { threads: [], memory: "", variable: "", index: 0, values: [], ...rest });
  }

  #tell(
    kind: TraceKind,
    { id }: WorkGroup,
    site: number,
    rest: Pick<TraceEvent, "threads" | "memory" | "variable" | "index" | "values">,
  ): void {
    const { file, entryPoint } = this.#machine.context;
    const workGroup = [id[0], id[1], id[2]] as [number, number, number];
    this.#trace({ kind, file, entryPoint, line: this.#lineOf(site), workGroup, ...rest });
  }

  #lineOf(site: number): number {
    const { sites } = this.#machine.context;
    if (sites !== this.#sites) {
      this.#sites = sites;
      this.#lines.clear();
    }
    let line = this.#lines.get(site);
    if (line === undefined) {
      line = sites.at(site)?.line ?? 0;
      this.#lines.set(site, line);
    }
    return line;
  }
}

/** By the options that a machine runs by. */
const tracers = new WeakMap<MachineOptions, Tracer>();

/** What tells the events of a machine, if that is asked for. */
export function tracerOf(machine: Machine): Tracer | undefined {
  const { options } = machine;
  const known = tracers.get(options);
  if (known !== undefined || options.trace === undefined) {
    return known;
  }
  const tracer = new Tracer(machine, options.trace);
  tracers.set(options, tracer);
  return tracer;
}

const bitsOf = (words: Iterable<number>): readonly number[] => Array.from(words, (word) => word >>> 0);

/** The threads of a mask. */
const threadsOf = (mask: Uint8Array): readonly number[] =>
  Array.from(mask.keys()).filter((t) => mask[t] === 1);

/** A range for a dispatch of this machine. */
export function rangeFor(
  machine: Machine,
  memory: Memory,
  [offset, size]: readonly [offset: number, size: number],
  isWritten: boolean,
): StorageRange {
  const tracer = tracerOf(machine);
  return tracer === undefined
    ? new StorageRange(memory, offset, size, isWritten)
    : new TracedRange(memory, [offset, size], isWritten, tracer);
}

/** A work-group of this machine. */
export function workGroupFor(
  machine: Machine,
  size: readonly [number, number, number],
  memoryWords: number,
): WorkGroup {
  const tracer = tracerOf(machine);
  return tracer === undefined
    ? new WorkGroup(machine, size, memoryWords)
    : new TracedWorkGroup(machine, size, memoryWords, tracer);
}

class TracedRange extends StorageRange {
  readonly #tracer: Tracer;
  /** The thread and the place of the atomic operation that has begun. */
  #begun = { t: 0, site: 0 };

  constructor(
    memory: Memory,
    [offset, size]: readonly [offset: number, size: number],
    isWritten: boolean,
    tracer: Tracer,
  ) {
    super(memory, offset, size, isWritten, true);
    this.#tracer = tracer;
  }

  override checkReads(index: number, count: number, t: number, g: WorkGroup, site: number): void {
    this.#tracer.flush();
    super.checkReads(index, count, t, g, site);
    this.#tracer.access(this.#access("read", index, t, g, site), this.#wordsAt(index, count));
  }

  override checkWrites(index: number, count: number, t: number, g: WorkGroup, site: number): void {
    this.#tracer.flush();
    super.checkWrites(index, count, t, g, site);
    this.#tracer.later({
      ...this.#access("write", index, t, g, site),
      words: () => this.#wordsAt(index, count),
    });
  }

  override readHalf(index: number, t: number, g: WorkGroup, site: number): number {
    this.#tracer.flush();
    const value = super.readHalf(index, t, g, site);
    this.#tracer.access(this.#access("read", index >> 1, t, g, site), this.#wordsAt(index >> 1, 1));
    return value;
  }

  override writeHalf(index: number, value: number, t: number, g: WorkGroup, site: number): void {
    this.#tracer.flush();
    super.writeHalf(index, value, t, g, site);
    this.#tracer.access(this.#access("write", index >> 1, t, g, site), this.#wordsAt(index >> 1, 1));
  }

  override load(index: number, g: WorkGroup, site: number, t = 0): number {
    this.#tracer.flush();
    const value = super.load(index, g, site, t);
    this.#tracer.access(this.#access("atomic load", index, t, g, site), [value]);
    return value;
  }

  override latest(index: number, g: WorkGroup, site = 0, t = 0): number {
    this.#tracer.flush();
    this.#begun = { t, site };
    return super.latest(index, g);
  }

  override store(index: number, value: number, g: WorkGroup): void {
    super.store(index, value, g);
    const { t, site } = this.#begun;
    this.#tracer.access(this.#access("atomic change", index, t, g, site), [value]);
  }

  #access(kind: TraceKind, index: number, t: number, g: WorkGroup, site: number): Access {
    return { kind, g, t, site, memory: "buffer", variable: this.name, index };
  }

  #wordsAt(index: number, count: number): readonly number[] {
    return [...this.words.subarray(index, index + count)];
  }
}

class TracedWorkGroup extends WorkGroup {
  readonly #tracer: Tracer;

  constructor(
    machine: Machine,
    size: readonly [number, number, number],
    memoryWords: number,
    tracer: Tracer,
  ) {
    super(machine, size, memoryWords, true);
    this.#tracer = tracer;
  }

  override start(index: number, id: ArrayLike<number>, groupCount: ArrayLike<number>): void {
    this.#tracer.flush();
    super.start(index, id, groupCount);
    this.#tracer.together("start", this, -1, { threads: threadsOf(this.every) });
  }

  override barrier(mask: Uint8Array, active: number, kind: number, site: number): void {
    this.#tracer.flush();
    super.barrier(mask, active, kind, site);
    const threads = threadsOf(mask);
    if (threads.length > 0) {
      const memory = (kind & WORK_GROUP_MEMORY) === 0 ? "buffer" : "work-group";
      this.#tracer.together("barrier", this, site, { threads, memory });
    }
  }

  override read(index: number, t: number, site: number): number {
    this.checkReads(index, 1, t, site);
    return this.memory[index] as number;
  }

  override write(index: number, value: number, t: number, site: number): void {
    this.checkWrites(index, 1, t, site);
    this.memory[index] = value;
  }

  override checkReads(index: number, count: number, t: number, site: number): void {
    this.#tracer.flush();
    super.checkReads(index, count, t, site);
    this.#tracer.access(this.#access("read", index, t, site), this.#wordsAt(index, count));
  }

  override checkWrites(index: number, count: number, t: number, site: number): void {
    this.#tracer.flush();
    super.checkWrites(index, count, t, site);
    this.#later("write", index, t, site, count);
  }

  override noteLoad(index: number, t: number, site: number): void {
    this.#tracer.flush();
    if (this.machine.options.unorderedAtomics) {
      super.noteLoad(index, t, site);
    }
    this.#tracer.access(this.#access("atomic load", index, t, site), this.#wordsAt(index, 1));
  }

  override noteStore(index: number, value: number, t: number, site: number): void {
    this.#tracer.flush();
    if (this.machine.options.unorderedAtomics) {
      super.noteStore(index, value, t, site);
    }
    this.#later("atomic change", index, t, site);
  }

  override noteChange(index: number, t: number, site: number): void {
    this.#tracer.flush();
    if (this.machine.options.unorderedAtomics) {
      super.noteChange(index, t, site);
    }
    this.#later("atomic change", index, t, site);
  }

  override ballot(mask: Uint8Array, input: Int32Array, outputs: readonly Int32Array[], site: number): void {
    this.#subgroup(mask, outputs[0] ?? input, site, () => super.ballot(mask, input, outputs, site));
  }

  override vote(mask: Uint8Array, isAll: boolean, input: Int32Array, output: Int32Array, site: number): void {
    this.#subgroup(mask, output, site, () => super.vote(mask, isAll, input, output, site));
  }

  override elect(mask: Uint8Array, output: Int32Array, site: number): void {
    this.#subgroup(mask, output, site, () => super.elect(mask, output, site));
  }

  override reduce(
    mask: Uint8Array,
    combine: (earlier: number, later: number) => number,
    input: Int32Array,
    output: Int32Array,
    site: number,
  ): void {
    this.#subgroup(mask, output, site, () => super.reduce(mask, combine, input, output, site));
  }

  override scan(
    mask: Uint8Array,
    combine: (earlier: number, later: number) => number,
    start: number | undefined,
    input: Int32Array,
    output: Int32Array,
    site: number,
  ): void {
    this.#subgroup(mask, output, site, () => super.scan(mask, combine, start, input, output, site));
  }

  /** Broadcasts are shuffles, too. */
  override shuffle(
    mask: Uint8Array,
    kind: ShuffleKind,
    input: Int32Array,
    by: Int32Array,
    output: Int32Array,
    site: number,
  ): void {
    this.#subgroup(mask, output, site, () => super.shuffle(mask, kind, input, by, output, site));
  }

  override broadcastFirst(mask: Uint8Array, input: Int32Array, output: Int32Array, site: number): void {
    this.#subgroup(mask, output, site, () => super.broadcastFirst(mask, input, output, site));
  }

  override quad(mask: Uint8Array, kind: QuadKind, input: Int32Array, output: Int32Array, site: number): void {
    this.#subgroup(mask, output, site, () => super.quad(mask, kind, input, output, site));
  }

  override quadBroadcast(
    mask: Uint8Array,
    input: Int32Array,
    by: Int32Array,
    output: Int32Array,
    site: number,
  ): void {
    this.#subgroup(mask, output, site, () => super.quadBroadcast(mask, input, by, output, site));
  }

  /** Runs a function of a subgroup, and tells its results. */
  #subgroup(mask: Uint8Array, output: Int32Array, site: number, run: () => void): void {
    this.#tracer.flush();
    run();
    const threads = threadsOf(mask);
    if (threads.length > 0) {
      const values = bitsOf(threads.map((t) => output[t] as number));
      this.#tracer.together("subgroup", this, site, { threads, values });
    }
  }

  #later(kind: TraceKind, index: number, t: number, site: number, count = 1): void {
    this.#tracer.later({
      ...this.#access(kind, index, t, site),
      words: () => this.#wordsAt(index, count),
    });
  }

  #access(kind: TraceKind, index: number, t: number, site: number): Access {
    const { workGroupVariables = [] } = this.machine.context;
    const found = workGroupVariables.find(({ first, count }) => index >= first && index < first + count);
    return {
      kind,
      g: this,
      t,
      site,
      memory: "work-group",
      variable: found?.name ?? "",
      index: index - (found?.first ?? 0),
    };
  }

  #wordsAt(index: number, count: number): readonly number[] {
    return [...this.memory.subarray(index, index + count)];
  }
}
