import type { FindingThread } from "../findings.ts";
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
  /** How many entries `order` has filled. */
  active = 0;

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
  readonly #shadow: Int32Array;
  readonly #second: Int32Array;
  readonly #order: Int32Array;

  /** `memoryWords`: how much work-group memory it has. */
  constructor(machine: Machine, size: readonly [number, number, number], memoryWords: number) {
    const [width, height, depth] = size;
    const threads = width * height * depth;
    super(machine, threads);
    this.memory = new Int32Array(memoryWords);
    this.every = new Uint8Array(threads).fill(1);
    this.localId = [new Int32Array(threads), new Int32Array(threads), new Int32Array(threads)];
    this.#numberThreads(width, height);
    this.#isTracked = machine.options.uninitialised;
    this.#shadow = new Int32Array(memoryWords << SHADOW_SHIFT);
    this.#second = new Int32Array(memoryWords);
    this.#order = new Int32Array(threads);
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
  }

  /** A barrier: 1 orders work-group memory, 2 storage memory, 3 both. It is a finding if some, but not all, threads are active. */
  barrier(mask: Uint8Array, kind: number, site: number): void {
    const active = countOf(mask, this.threads);
    if (active === 0) {
      return;
    }
    if (active !== this.threads) {
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
    this.machine.report("waits for ever", site, message, [thread]);
    throw new EndlessLoop(message);
  }

  /** A word of work-group memory, for a plain read. */
  read(index: number, t: number, site: number): number {
    const shadow = this.#shadow;
    const at = index << SHADOW_SHIFT;
    const time = this.#now | t;
    const sinceWrite = (shadow[at + WRITE_TIME] as number) ^ time;
    if (sinceWrite >>> THREAD_BITS === 0) {
      if (sinceWrite !== 0) {
        this.#reportRace(index, t, "reads", site, shadow[at + WRITE_MARK] as number, "wrote");
      }
    } else if (this.#isTracked && (shadow[at + WRITE_TIME] as number) < this.#start) {
      this.#reportUninitialised(index, t, site);
    }
    const sinceRead = (shadow[at + READ_TIME] as number) ^ time;
    if (sinceRead >>> THREAD_BITS !== 0) {
      shadow[at + READ_TIME] = time;
      shadow[at + READ_MARK] = (site << THREAD_BITS) | t;
    } else if (sinceRead !== 0) {
      this.#noteSecondRead(index, t, site);
    }
    return this.memory[index] as number;
  }

  /** Writes a word of work-group memory, plainly. */
  write(index: number, value: number, t: number, site: number): void {
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
    this.memory[index] = value;
  }

  /** The active threads, in the order in which they do an atomic operation: the first `active` entries. It holds until the next call. */
  order(mask: Uint8Array): Int32Array {
    const order = this.#order;
    const { threads } = this;
    let active = 0;
    for (let t = 0; t < threads; t++) {
      if (mask[t] === 1) {
        order[active++] = t;
      }
    }
    this.active = active;
    const { atomics } = this.machine.options;
    if (atomics === "random") {
      this.machine.random.shuffle(order, active);
    } else if (atomics === "reversed") {
      order.subarray(0, active).reverse();
    }
    return order;
  }

  /** The index, a u32 as a word, if it is below `count`. Otherwise that is a finding, and the last index is taken. */
  inBounds(index: number, count: number, t: number, site: number): number {
    return index >>> 0 < count ? index : this.#outOfBounds(index, count, t, site);
  }

  /** How findings name a thread of this work-group. @internal */
  nameOf(thread: number): FindingThread {
    return { workGroup: [this.id[0] as number, this.id[1] as number, this.id[2] as number], thread };
  }

  #beginEpoch(): void {
    if (this.#now >>> THREAD_BITS === LAST_EPOCH) {
      this.#shadow.fill(0);
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
    if (!machine.hasReported("out of bounds", site)) {
      const thread = this.nameOf(t);
      machine.report(
        "out of bounds",
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
      const present = this.nameOf(mask.indexOf(1));
      const absent = this.nameOf(mask.indexOf(0));
      machine.report(
        "divergence",
        site,
        `only ${active} of ${this.threads} threads reach the barrier at ${machine.nameOfSite(site)}: ${nameOfThread(present)} does, thread ${absent.thread} does not`,
        [present, absent],
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

  #reportUninitialised(index: number, t: number, site: number): void {
    const { machine } = this;
    if (!machine.hasReported("uninitialised", site)) {
      const thread = this.nameOf(t);
      machine.report(
        "uninitialised",
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

function countOf(mask: Uint8Array, threads: number): number {
  let count = 0;
  for (let t = 0; t < threads; t++) {
    count += mask[t] as number;
  }
  return count;
}
