import type { AtomicOrder } from "../options.ts";
import { Views } from "./history.ts";
import { type Machine, nameOfThread } from "./machine.ts";
import { HAS_SECOND, siteOf, THREAD_BITS, threadOf } from "./shadow.ts";
import { Subgroups } from "./subgroups.ts";

/** Of `barrier`: which memory it orders. */
export const WORK_GROUP_MEMORY = 1;
export const STORAGE_MEMORY = 2;

// The shadow of a word of work-group memory. A time is the epoch since the last barrier, and the thread: two are of one epoch
// if they differ in the bits of threads alone. A mark is the place of the text, and the thread.
const WRITE_TIME = 0;
/** Of the first read of an epoch. */
const READ_TIME = 1;
const WRITE_MARK = 2;
/** Its sign says that another thread has read in that epoch: its mark is in `#second`. */
const READ_MARK = 3;
const SHADOW_SHIFT = 2;
// Of atomics that are watched, also who changed them: when the first change of an epoch was, its mark, and that of a change by another thread.
const CHANGE_TIME = 0;
/** Its sign says that there is a second one. */
const CHANGE_MARK = 1;
const SECOND_CHANGE = 2;
const CHANGE_WORDS = 3;
/** When epochs end, the shadow forgets everything and they begin anew. */
const LAST_EPOCH = 2 ** 20 - 1;

/** What ends a dispatch whose loop has no end. It has been reported. */
export class EndlessLoop extends Error {}

/** A work-group as generated code sees it. `site` names a place of the text, `t` is a thread's `local_invocation_index`. */
export class WorkGroup extends Subgroups {
  /** Work-group memory, a word for each scalar. Atomics use it as it is. */
  readonly memory: Int32Array;
  /** The `local_invocation_id` of each thread. */
  readonly localId: readonly [Int32Array, Int32Array, Int32Array];
  /** `num_workgroups`. */
  readonly groupCount: Int32Array = new Int32Array(3);
  /** The mask of all threads. */
  readonly every: Uint8Array;

  /** Its index in the dispatch. @internal */
  index = 0;
  /** The first epoch of this dispatch, for the shadow of storage memory. @internal */
  firstEpoch = 0;
  /** The present epoch, for the shadow of storage memory: it ends with a storage barrier. @internal */
  storageEpoch = 0;
  /** Which values of atomics it has seen. @internal */
  readonly views = new Views();

  /** The present epoch of work-group memory, above the bits of threads. */
  #now = 0;
  /** The same, when the work-group started. */
  #start = 0;
  readonly #isTracked: boolean;
  /** Whether `noteLoad`, `noteStore` and `noteChange` are to be called. */
  readonly watchesAtomics: boolean;
  readonly #changes: Int32Array;
  readonly #shadow: Int32Array;
  readonly #second: Int32Array;
  readonly #order: Int32Array;
  readonly #atomics: AtomicOrder;
  /** All threads in their order, unless that is random. */
  readonly #all: Int32Array;

  /** `memoryWords`: how much work-group memory it has. `isTraced`: whether all uses of atomics are noted. */
  constructor(
    machine: Machine,
    size: readonly [number, number, number],
    memoryWords: number,
    isTraced = false,
  ) {
    const [width, height, depth] = size;
    const threads = width * height * depth;
    super(machine, threads);
    this.memory = new Int32Array(memoryWords);
    this.every = new Uint8Array(threads).fill(1);
    this.localId = [new Int32Array(threads), new Int32Array(threads), new Int32Array(threads)];
    this.#numberThreads(width, height);
    this.#isTracked = machine.options.uninitialized;
    this.watchesAtomics = isTraced || machine.options.unorderedAtomics;
    this.#changes = new Int32Array(machine.options.unorderedAtomics ? CHANGE_WORDS * memoryWords : 0);
    this.#shadow = new Int32Array(memoryWords << SHADOW_SHIFT);
    this.#second = new Int32Array(memoryWords);
    this.#order = new Int32Array(threads);
    this.#atomics = machine.options.atomics;
    this.#all = Int32Array.from({ length: threads }, (_, t) => t);
    if (this.#atomics === "reversed") {
      this.#all.reverse();
    }
  }

  /** Begins the work-group with this index (x runs fastest) and `workgroup_id`: its memory is zeros. */
  start(index: number, id: ArrayLike<number>, groupCount: ArrayLike<number>): void {
    this.id.set(id);
    this.groupCount.set(groupCount);
    this.memory.fill(0);
    this.index = index;
    this.firstEpoch = this.machine.firstEpoch;
    this.storageEpoch = this.machine.nextEpoch(index);
    this.#beginEpoch();
    this.#start = this.#now;
    this.views.clear();
    this.dealAgain();
    this.callSites = 0;
    this.callers = undefined;
  }

  /**
   * A barrier: 1 orders work-group memory, 2 storage memory, 3 both. `active` is how many threads the mask has. It is a finding if those are some,
   * but not all.
   */
  barrier(mask: Uint8Array, active: number, kind: number, site: number): void {
    if (active === 0) {
      return;
    }
    if (active < this.threads) {
      this.#reportBarrier(mask, active, site);
    }
    if ((kind & WORK_GROUP_MEMORY) !== 0) {
      this.#beginEpoch();
    }
    if ((kind & STORAGE_MEMORY) !== 0) {
      this.storageEpoch = this.machine.nextEpoch(this.index);
    }
  }

  /** Reports a loop without an end in which thread `t` is, and ends the dispatch. @throws {EndlessLoop} */
  stuck(t: number, site: number): never {
    const thread = { workGroup: [...this.id] as [number, number, number], thread: t };
    const message = `${nameOfThread(thread)} is in a loop without an end at ${this.machine.nameOfSite(site)}`;
    this.machine.report("stuck", site, message, [thread]);
    throw new EndlessLoop(message);
  }

  /** A word of work-group memory, for a plain read. */
  read(index: number, t: number, site: number): number {
    this.#checkRead(index, t, site);
    return this.memory[index] as number;
  }

  /** Writes a word of work-group memory, plainly. */
  write(index: number, value: number, t: number, site: number): void {
    this.#checkWrite(index, t, site);
    this.memory[index] = value;
  }

  /** Notes plain reads of so many words of work-group memory from an index on. */
  checkReads(index: number, count: number, t: number, site: number): void {
    for (let word = index; word < index + count; word++) {
      this.#checkRead(word, t, site);
    }
  }

  /** Notes plain writes of so many words of work-group memory from an index on. */
  checkWrites(index: number, count: number, t: number, site: number): void {
    for (let word = index; word < index + count; word++) {
      this.#checkWrite(word, t, site);
    }
  }

  #checkRead(index: number, t: number, site: number): void {
    const shadow = this.#shadow;
    const at = index << SHADOW_SHIFT;
    const time = this.#now | t;
    const sinceWrite = (shadow[at + WRITE_TIME] as number) ^ time;
    if (sinceWrite >>> THREAD_BITS === 0) {
      if (sinceWrite !== 0) {
        this.#reportRace(index, t, "reads", site, shadow[at + WRITE_MARK] as number, "wrote");
      }
    } else if (this.#isTracked && (shadow[at + WRITE_TIME] as number) < this.#start) {
      this.#reportUninitialized(index, t, site);
    }
    const sinceRead = (shadow[at + READ_TIME] as number) ^ time;
    if (sinceRead >>> THREAD_BITS !== 0) {
      shadow[at + READ_TIME] = time;
      shadow[at + READ_MARK] = (site << THREAD_BITS) | t;
    } else if (sinceRead !== 0) {
      this.#noteSecondRead(index, t, site);
    }
  }

  #checkWrite(index: number, t: number, site: number): void {
    const shadow = this.#shadow;
    const at = index << SHADOW_SHIFT;
    const time = this.#now | t;
    const sinceWrite = (shadow[at + WRITE_TIME] as number) ^ time;
    if (sinceWrite >>> THREAD_BITS === 0 && sinceWrite !== 0) {
      this.#reportRace(index, t, "writes", site, shadow[at + WRITE_MARK] as number, "wrote");
    }
    if (((shadow[at + READ_TIME] as number) ^ time) >>> THREAD_BITS === 0) {
      this.#checkReads(index, t, site);
    }
    shadow[at + WRITE_TIME] = time;
    shadow[at + WRITE_MARK] = (site << THREAD_BITS) | t;
  }

  /** Notes that a thread loads an atomic of work-group memory. */
  noteLoad(index: number, t: number, site: number): void {
    const shadow = this.#shadow;
    const at = index << SHADOW_SHIFT;
    this.#checkChanges(index, t, "loads", site);
    this.#checkStore(index, t, "loads", site);
    const sinceRead = (shadow[at + READ_TIME] as number) ^ (this.#now | t);
    if (sinceRead >>> THREAD_BITS !== 0) {
      shadow[at + READ_TIME] = this.#now | t;
      shadow[at + READ_MARK] = (site << THREAD_BITS) | t;
    } else if (sinceRead !== 0) {
      this.#noteSecondRead(index, t, site);
    }
  }

  /** Notes that a thread is about to store a value to an atomic. Others may store the same value. */
  noteStore(index: number, value: number, t: number, site: number): void {
    const shadow = this.#shadow;
    const at = index << SHADOW_SHIFT;
    this.#checkChanges(index, t, "stores", site);
    this.#checkLoads(index, t, "stores", site);
    if (this.memory[index] !== value) {
      this.#checkStore(index, t, "stores", site);
    }
    shadow[at + WRITE_TIME] = this.#now | t;
    shadow[at + WRITE_MARK] = (site << THREAD_BITS) | t;
  }

  /** Notes that a thread changes an atomic by what it is: as most that do so together commute, they are not compared with each other. */
  noteChange(index: number, t: number, site: number): void {
    const changes = this.#changes;
    const at = index * CHANGE_WORDS;
    this.#checkStore(index, t, "changes", site);
    this.#checkLoads(index, t, "changes", site);
    const since = (changes[at + CHANGE_TIME] as number) ^ (this.#now | t);
    if (since >>> THREAD_BITS !== 0) {
      changes[at + CHANGE_TIME] = this.#now | t;
      changes[at + CHANGE_MARK] = (site << THREAD_BITS) | t;
    } else if (since !== 0 && (changes[at + CHANGE_MARK] as number) >= 0) {
      changes[at + SECOND_CHANGE] = (site << THREAD_BITS) | t;
      changes[at + CHANGE_MARK] = (changes[at + CHANGE_MARK] as number) | HAS_SECOND;
    }
  }

  /** The active threads, in the order in which they do an atomic operation. It holds until the next call. */
  order(mask: Uint8Array, active: number): Int32Array {
    if (this.#atomics !== "random") {
      return active === this.threads ? this.#all : this.#activeOf(mask, active);
    }
    const order = this.#activeOf(mask, active);
    this.machine.random.shuffle(order, active);
    return order;
  }

  /** The threads of a mask, which has so many, in their order. */
  #activeOf(mask: Uint8Array, active: number): Int32Array {
    const [all, order] = [this.#all, this.#order];
    let found = 0;
    for (let at = 0; found < active && at < all.length; at++) {
      const t = all[at] as number;
      if (mask[t] === 1) {
        order[found++] = t;
      }
    }
    return order;
  }

  /** The index, a u32 as a word, if it is below `count`. Otherwise that is a finding, and the last index is taken. */
  inBounds(index: number, count: number, t: number, site: number): number {
    return index >>> 0 < count ? index : this.#outOfBounds(index, count, t, site);
  }

  #beginEpoch(): void {
    if (this.#now >>> THREAD_BITS === LAST_EPOCH) {
      this.#shadow.fill(0);
      this.#changes.fill(0);
      this.#now = 0;
      // What was written before is not known any more, and counts as written.
      this.#start = 0;
    }
    this.#now += 1 << THREAD_BITS;
  }

  /** Notes that a thread reads which another one has read in this epoch. Two are enough: a writer is another thread than one of them. */
  #noteSecondRead(index: number, t: number, site: number): void {
    const at = (index << SHADOW_SHIFT) + READ_MARK;
    const mark = this.#shadow[at] as number;
    if (mark >= 0) {
      this.#second[index] = (site << THREAD_BITS) | t;
      this.#shadow[at] = mark | HAS_SECOND;
    }
  }

  /** Reports a race of a write with one of the reads of this epoch. */
  #checkReads(index: number, t: number, site: number): void {
    const mark = this.#shadow[(index << SHADOW_SHIFT) + READ_MARK] as number;
    if (threadOf(mark) !== t) {
      this.#reportRace(index, t, "writes", site, mark, "read");
    } else if (mark < 0) {
      this.#reportRace(index, t, "writes", site, this.#second[index] as number, "read");
    }
  }

  #isOfThisEpoch(time: number): boolean {
    return (time ^ this.#now) >>> THREAD_BITS === 0;
  }

  /** Reports an atomic access that nothing orders with the last store of this epoch, if that is another thread's. */
  #checkStore(index: number, t: number, does: string, site: number): void {
    const at = index << SHADOW_SHIFT;
    const mark = this.#shadow[at + WRITE_MARK] as number;
    if (this.#isOfThisEpoch(this.#shadow[at + WRITE_TIME] as number) && threadOf(mark) !== t) {
      this.#reportUnordered(index, t, does, site, mark, "stores");
    }
  }

  /** The same, with the loads of this epoch. */
  #checkLoads(index: number, t: number, does: string, site: number): void {
    const at = index << SHADOW_SHIFT;
    if (this.#isOfThisEpoch(this.#shadow[at + READ_TIME] as number)) {
      const other = this.#ofOther(this.#shadow[at + READ_MARK] as number, this.#second[index] as number, t);
      if (other !== undefined) {
        this.#reportUnordered(index, t, does, site, other, "loads");
      }
    }
  }

  /** The same, with its changes. */
  #checkChanges(index: number, t: number, does: string, site: number): void {
    const at = index * CHANGE_WORDS;
    const changes = this.#changes;
    if (this.#isOfThisEpoch(changes[at + CHANGE_TIME] as number)) {
      const other = this.#ofOther(
        changes[at + CHANGE_MARK] as number,
        changes[at + SECOND_CHANGE] as number,
        t,
      );
      if (other !== undefined) {
        this.#reportUnordered(index, t, does, site, other, "changes");
      }
    }
  }

  /** Of two marks, of which the first one says whether there is a second: one that is not the thread's. */
  #ofOther(first: number, second: number, t: number): number | undefined {
    return threadOf(first) !== t ? first : first < 0 ? second : undefined;
  }

  #reportUnordered(index: number, t: number, does: string, site: number, mark: number, did: string): void {
    const { machine } = this;
    const otherSite = siteOf(mark);
    if (!machine.hasReported("unordered", site, otherSite)) {
      const thread = this.nameOf(t);
      const other = this.nameOf(threadOf(mark));
      machine.report(
        "unordered",
        site,
        `${nameOfThread(thread)} ${does} ${this.#nameOfWord(index)} at ${machine.nameOfSite(site)}, which thread ${other.thread} ${did} at ${machine.nameOfSite(otherSite)}; no workgroupBarrier() says which comes first`,
        [thread, other],
        otherSite,
      );
    }
  }

  #numberThreads(width: number, height: number): void {
    const [x, y, z] = this.localId;
    for (let t = 0; t < this.threads; t++) {
      x[t] = t % width;
      y[t] = Math.floor(t / width) % height;
      z[t] = Math.floor(t / (width * height));
    }
  }

  #outOfBounds(index: number, count: number, t: number, site: number): number {
    const { machine } = this;
    machine.noteOutside(index >>> 0, count);
    if (!machine.hasReported("out-of-bounds", site)) {
      const thread = this.nameOf(t);
      machine.report(
        "out-of-bounds",
        site,
        `${nameOfThread(thread)} takes index ${index >>> 0} of ${count} at ${machine.nameOfSite(site)}`,
        [thread],
      );
    }
    return Math.max(0, count - 1);
  }

  #reportBarrier(mask: Uint8Array, active: number, site: number): void {
    const { machine } = this;
    if (!machine.hasReported("divergence", site)) {
      this.reportAbsence(
        site,
        [mask.indexOf(1), mask.indexOf(0)],
        `only ${active} of ${this.threads} threads`,
        "the barrier",
      );
    }
  }

  #reportRace(index: number, t: number, does: string, site: number, mark: number, did: string): void {
    const { machine } = this;
    const otherSite = siteOf(mark);
    if (!machine.hasReported("race", site, otherSite)) {
      const thread = this.nameOf(t);
      const other = this.nameOf(threadOf(mark));
      machine.report(
        "race",
        site,
        `${nameOfThread(thread)} ${does} ${this.#nameOfWord(index)} at ${machine.nameOfSite(site)}, which thread ${other.thread} ${did} at ${machine.nameOfSite(otherSite)}; no workgroupBarrier() is between them`,
        [thread, other],
        otherSite,
      );
    }
  }

  #reportUninitialized(index: number, t: number, site: number): void {
    const { machine } = this;
    if (!machine.hasReported("uninitialized", site)) {
      const thread = this.nameOf(t);
      machine.report(
        "uninitialized",
        site,
        `${nameOfThread(thread)} reads ${this.#nameOfWord(index)} at ${machine.nameOfSite(site)}, which nothing has written`,
        [thread],
      );
    }
  }

  #nameOfWord(index: number): string {
    const { workGroupVariables = [] } = this.machine.context;
    const variable = workGroupVariables.find(({ first, count }) => index >= first && index < first + count);
    return variable === undefined
      ? `word ${index} of work-group memory`
      : `word ${index - variable.first} of ${variable.name} in work-group memory`;
  }
}
