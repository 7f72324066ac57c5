import type { Machine } from "./machine.ts";

/** How the threads of a work-group are dealt to the lanes of its subgroups. */
export class Lanes {
  readonly machine: Machine;
  /** Threads of the work-group. */
  readonly threads: number;
  readonly subgroupSize: number;
  /** How many subgroups there are. */
  subgroupCount = 0;
  /** For each thread, its lane: `subgroup_invocation_id`. */
  readonly laneOf: Int32Array;
  /** For each thread, its subgroup: `subgroup_id`. */
  readonly subgroupOf: Int32Array;
  /** The threads by subgroup, and by lane in each. @internal */
  readonly byLane: Int32Array;
  /** For each subgroup, where its threads start in `byLane`; then their end. @internal */
  readonly starts: Int32Array;
  /** For each lane of each subgroup, its thread, or −1. @internal */
  readonly threadAt: Int32Array;
  readonly #isRandom: boolean;

  constructor(machine: Machine, threads: number) {
    const { subgroupSize, lanes, partlyFilled } = machine.options;
    this.machine = machine;
    this.threads = threads;
    this.subgroupSize = subgroupSize;
    this.laneOf = new Int32Array(threads);
    this.subgroupOf = new Int32Array(threads);
    this.byLane = new Int32Array(threads);
    const least = partlyFilled ? leastFilled(subgroupSize) : subgroupSize;
    const most = Math.ceil(threads / least);
    this.starts = new Int32Array(most + 1);
    this.threadAt = new Int32Array(most * subgroupSize);
    this.#isRandom = partlyFilled || lanes === "permuted";
    this.#deal();
  }

  /** Deals the threads anew where that is left to chance. */
  protected dealAgain(): void {
    if (this.#isRandom) {
      this.#deal();
    }
  }

  #deal(): void {
    this.threadAt.fill(-1);
    if (this.machine.options.partlyFilled) {
      this.#choosePlacesWithGaps();
    } else {
      this.#choosePlaces();
    }
    this.#orderThreads();
    for (let subgroup = 0, at = 0; subgroup < this.subgroupCount; subgroup++) {
      this.starts[subgroup] = at;
      for (let lane = 0; lane < this.subgroupSize; lane++) {
        if (this.threadAt[subgroup * this.subgroupSize + lane] !== -1) {
          this.#place(this.byLane[at] as number, subgroup, lane);
          at++;
        }
      }
      this.starts[subgroup + 1] = at;
    }
  }

  #place(thread: number, subgroup: number, lane: number): void {
    this.threadAt[subgroup * this.subgroupSize + lane] = thread;
    this.subgroupOf[thread] = subgroup;
    this.laneOf[thread] = lane;
  }

  /** Marks the places that shall have a thread: all lanes of all subgroups, but of the last one only as many as are needed. */
  #choosePlaces(): void {
    this.subgroupCount = Math.ceil(this.threads / this.subgroupSize);
    this.threadAt.fill(0, 0, this.threads);
  }

  /** Marks at least half of the lanes of each subgroup, at random, until there are places for all threads. */
  #choosePlacesWithGaps(): void {
    const { subgroupSize, threadAt } = this;
    const { random } = this.machine;
    const lanes = Int32Array.from({ length: subgroupSize }, (_, lane) => lane);
    const least = leastFilled(subgroupSize);
    let subgroup = 0;
    for (let left = this.threads; left > 0; subgroup++) {
      random.shuffle(lanes, subgroupSize);
      const count = Math.min(left, least + random.below(subgroupSize - least + 1));
      for (let at = 0; at < count; at++) {
        threadAt[subgroup * subgroupSize + (lanes[at] as number)] = 0;
      }
      left -= count;
    }
    this.subgroupCount = subgroup;
  }

  /** Decides which thread comes to which of the places: `byLane` has them in the order of places. */
  #orderThreads(): void {
    const { byLane, threads } = this;
    const { lanes } = this.machine.options;
    for (let thread = 0; thread < threads; thread++) {
      byLane[thread] = thread;
    }
    if (lanes === "permuted") {
      this.machine.random.shuffle(byLane, threads);
    } else if (lanes === "reversed") {
      this.#reverseWithinSubgroups();
    }
  }

  #reverseWithinSubgroups(): void {
    for (let subgroup = 0, at = 0; subgroup < this.subgroupCount; subgroup++) {
      const first = subgroup * this.subgroupSize;
      let end = at;
      for (let place = first; place < first + this.subgroupSize; place++) {
        end += this.threadAt[place] === -1 ? 0 : 1;
      }
      this.byLane.subarray(at, end).reverse();
      at = end;
    }
  }
}

/** How many lanes of a partly filled subgroup have a thread at least; only the last one of a work-group may have fewer. */
const leastFilled = (subgroupSize: number): number => Math.ceil(subgroupSize / 2);
