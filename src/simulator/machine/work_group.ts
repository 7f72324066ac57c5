import type { FindingThread } from "../findings.ts";
import { Views } from "./history.ts";
import { type Machine, nameOfThread } from "./machine.ts";
import { siteOf, THREAD_BITS, THREAD_MASK, threadOf } from "./shadow.ts";
import { Subgroups } from "./subgroups.ts";

/** Of `barrier`: which memory it orders. */
export const WORK_GROUP_MEMORY = 1;
export const STORAGE_MEMORY = 2;

// The shadow of a word of work-group memory: epoch and mark of the last write, epoch and mark of the first read since the last barrier.
// The sign of the read's mark says that another thread has read, too: its mark is in `#second`.
const WRITE_EPOCH = 0;
const WRITE_MARK = 1;
const READ_EPOCH = 2;
const READ_MARK = 3;
const SHADOW_SHIFT = 2;
const IS_SHARED = 0x80000000 | 0;

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

  /** Which run of a work-group this is, among all of the machine. @internal */
  serial = 0;
  /** The serial number of the first run of this dispatch. @internal */
  firstSerial = 0;
  /** What storage memory's shadow calls the time since the last storage barrier. @internal */
  storageEpoch = 0;
  /** Which values of atomics it has seen. @internal */
  readonly views = new Views();

  #epoch = 0;
  #firstEpoch = 0;
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
    this.localId = [
      Int32Array.from(this.every, (_, t) => t % width),
      Int32Array.from(this.every, (_, t) => Math.floor(t / width) % height),
      Int32Array.from(this.every, (_, t) => Math.floor(t / (width * height))),
    ];
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
    this.serial = this.machine.serialFor(index);
    this.firstSerial = this.machine.firstSerial;
    this.storageEpoch = this.machine.nextEpoch();
    this.#epoch++;
    this.#firstEpoch = this.#epoch;
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
      this.#epoch++;
    }
    if ((kind & STORAGE_MEMORY) !== 0) {
      this.storageEpoch = this.machine.nextEpoch();
    }
  }

  /** A word of work-group memory, for a plain read. */
  read(index: number, t: number, site: number): number {
    const shadow = this.#shadow;
    const epoch = this.#epoch;
    const at = index << SHADOW_SHIFT;
    if (shadow[at + WRITE_EPOCH] === epoch && ((shadow[at + WRITE_MARK] as number) & THREAD_MASK) !== t) {
      this.#reportRace(index, t, "reads", site, shadow[at + WRITE_MARK] as number, "wrote");
    }
    const mark = shadow[at + READ_MARK] as number;
    if (shadow[at + READ_EPOCH] !== epoch) {
      shadow[at + READ_EPOCH] = epoch;
      shadow[at + READ_MARK] = (site << THREAD_BITS) | t;
    } else if (mark >= 0 && (mark & THREAD_MASK) !== t) {
      this.#second[index] = (site << THREAD_BITS) | t;
      shadow[at + READ_MARK] = mark | IS_SHARED;
    }
    if (this.#isTracked && (shadow[at + WRITE_EPOCH] as number) < this.#firstEpoch) {
      this.#reportUninitialised(index, t, site);
    }
    return this.memory[index] as number;
  }

  /** Writes a word of work-group memory, plainly. */
  write(index: number, value: number, t: number, site: number): void {
    const shadow = this.#shadow;
    const epoch = this.#epoch;
    const at = index << SHADOW_SHIFT;
    if (shadow[at + WRITE_EPOCH] === epoch && ((shadow[at + WRITE_MARK] as number) & THREAD_MASK) !== t) {
      this.#reportRace(index, t, "writes", site, shadow[at + WRITE_MARK] as number, "wrote");
    }
    if (shadow[at + READ_EPOCH] === epoch) {
      const mark = shadow[at + READ_MARK] as number;
      if ((mark & THREAD_MASK) !== t) {
        this.#reportRace(index, t, "writes", site, mark, "read");
      } else if (mark < 0) {
        this.#reportRace(index, t, "writes", site, this.#second[index] as number, "read");
      }
    }
    shadow[at + WRITE_EPOCH] = epoch;
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
