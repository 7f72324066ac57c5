import type { FindingThread } from "../findings.ts";
import { Lanes } from "./lanes.ts";
import { nameOfThread } from "./machine.ts";
import { WAYS } from "./ways.ts";

/** Which lane a shuffle reads from: lane `by`; `by` lanes below its own; `by` lanes above; its own lane ^ `by`. */
export type ShuffleKind = "at" | "up" | "down" | "xor";
/** Which lane of four a quad swap reads from: the horizontal, the vertical or the diagonal neighbour. */
export type QuadKind = "x" | "y" | "diagonal";

/**
 * The subgroup functions. `mask` has 1 for each thread that calls one. `input`, `by` and `output` have a word for each thread; the output may be
 * the input. The words of threads that do not call stay.
 */
export class Subgroups extends Lanes {
  /** The `workgroup_id`. */
  readonly id: Int32Array = new Int32Array(3);
  // For each lane of one subgroup: the word that an active thread holds there, and whether there is such a thread.
  readonly #held = new Int32Array(128);
  readonly #isHeld = new Uint8Array(128);
  readonly #ballot = new Int32Array(4);
  /** In a linked function of a program that is watched: what is added to its sites, and the mask of the threads that call it. @internal */
  callSites = 0;
  callers: Uint8Array | undefined;
  /** Of a program that is watched: where each thread has left others, and in which of the ways; 0 if it has not. @internal */
  readonly ways = new Int32Array(this.threads);

  /** Bit n of the four words tells whether the active thread at lane n has a 1. */
  ballot(mask: Uint8Array, input: Int32Array, outputs: readonly Int32Array[], site: number): void {
    const { byLane, starts, laneOf } = this;
    for (let subgroup = 0; subgroup < this.subgroupCount; subgroup++) {
      if (this.#reaches(mask, subgroup, site)) {
        const end = starts[subgroup + 1] as number;
        const words = this.#ballot.fill(0);
        for (let at = starts[subgroup] as number; at < end; at++) {
          const t = byLane[at] as number;
          if (mask[t] === 1 && input[t] !== 0) {
            const lane = laneOf[t] as number;
            const at32 = lane >> 5;
            words[at32] = (words[at32] as number) | (1 << lane);
          }
        }
        for (let at = 0; at < outputs.length; at++) {
          this.#give(mask, subgroup, words[at] as number, outputs[at] as Int32Array);
        }
      }
    }
  }

  /** Whether all active threads of the subgroup have a 1, or any. */
  vote(mask: Uint8Array, isAll: boolean, input: Int32Array, output: Int32Array, site: number): void {
    const { byLane, starts } = this;
    for (let subgroup = 0; subgroup < this.subgroupCount; subgroup++) {
      if (this.#reaches(mask, subgroup, site)) {
        const end = starts[subgroup + 1] as number;
        let result = isAll ? 1 : 0;
        for (let at = starts[subgroup] as number; at < end; at++) {
          const t = byLane[at] as number;
          if (mask[t] === 1 && (input[t] !== 0) !== isAll) {
            result = isAll ? 0 : 1;
          }
        }
        this.#give(mask, subgroup, result, output);
      }
    }
  }

  /** 1 for the active thread at the lowest lane. */
  elect(mask: Uint8Array, output: Int32Array, site: number): void {
    for (let subgroup = 0; subgroup < this.subgroupCount; subgroup++) {
      if (this.#reaches(mask, subgroup, site)) {
        const first = this.#firstActive(mask, subgroup);
        this.#give(mask, subgroup, 0, output);
        output[first] = 1;
      }
    }
  }

  /** All active threads' words, combined in the order of lanes. */
  reduce(
    mask: Uint8Array,
    combine: (earlier: number, later: number) => number,
    input: Int32Array,
    output: Int32Array,
    site: number,
  ): void {
    const { byLane, starts } = this;
    for (let subgroup = 0; subgroup < this.subgroupCount; subgroup++) {
      if (this.#reaches(mask, subgroup, site)) {
        const end = starts[subgroup + 1] as number;
        const first = this.#firstActive(mask, subgroup);
        let total = input[first] as number;
        for (let at = starts[subgroup] as number; at < end; at++) {
          const t = byLane[at] as number;
          if (mask[t] === 1 && t !== first) {
            total = combine(total, input[t] as number);
          }
        }
        this.#give(mask, subgroup, total, output);
      }
    }
  }

  /**
   * For each active thread, the words of the active threads at lower lanes combined. With `start`, that is what the first thread gets; without it,
   * a thread's own word counts, too.
   */
  scan(
    mask: Uint8Array,
    combine: (earlier: number, later: number) => number,
    start: number | undefined,
    input: Int32Array,
    output: Int32Array,
    site: number,
  ): void {
    const { byLane, starts } = this;
    for (let subgroup = 0; subgroup < this.subgroupCount; subgroup++) {
      if (!this.#reaches(mask, subgroup, site)) {
        continue;
      }
      const end = starts[subgroup + 1] as number;
      let before: number | undefined;
      for (let at = starts[subgroup] as number; at < end; at++) {
        const t = byLane[at] as number;
        if (mask[t] === 1) {
          const word = input[t] as number;
          const after: number = before === undefined ? word : combine(before, word);
          output[t] = start === undefined ? after : (before ?? start);
          before = after;
        }
      }
    }
  }

  /** The word of the thread at another lane. It is poison where no active thread is. */
  shuffle(
    mask: Uint8Array,
    kind: ShuffleKind,
    input: Int32Array,
    by: Int32Array,
    output: Int32Array,
    site: number,
  ): void {
    const { byLane, starts, laneOf } = this;
    for (let subgroup = 0; subgroup < this.subgroupCount; subgroup++) {
      if (this.#reaches(mask, subgroup, site)) {
        this.#hold(mask, subgroup, input);
        const end = starts[subgroup + 1] as number;
        for (let at = starts[subgroup] as number; at < end; at++) {
          const t = byLane[at] as number;
          if (mask[t] === 1) {
            output[t] = this.#heldAt(sourceLane(kind, laneOf[t] as number, (by[t] as number) >>> 0));
          }
        }
      }
    }
  }

  /** The word of the thread at lane `by`. */
  broadcast(mask: Uint8Array, input: Int32Array, by: Int32Array, output: Int32Array, site: number): void {
    this.shuffle(mask, "at", input, by, output, site);
  }

  /** The word of the active thread at the lowest lane. */
  broadcastFirst(mask: Uint8Array, input: Int32Array, output: Int32Array, site: number): void {
    for (let subgroup = 0; subgroup < this.subgroupCount; subgroup++) {
      if (this.#reaches(mask, subgroup, site)) {
        const word = input[this.#firstActive(mask, subgroup)] as number;
        this.#give(mask, subgroup, word, output);
      }
    }
  }

  /** The word of a neighbour among four consecutive lanes. */
  quad(mask: Uint8Array, kind: QuadKind, input: Int32Array, output: Int32Array, site: number): void {
    const flipped = kind === "x" ? 1 : kind === "y" ? 2 : 3;
    const { byLane, starts, laneOf } = this;
    for (let subgroup = 0; subgroup < this.subgroupCount; subgroup++) {
      if (this.#reaches(mask, subgroup, site)) {
        this.#hold(mask, subgroup, input);
        const end = starts[subgroup + 1] as number;
        for (let at = starts[subgroup] as number; at < end; at++) {
          const t = byLane[at] as number;
          if (mask[t] === 1) {
            output[t] = this.#heldAt((laneOf[t] as number) ^ flipped);
          }
        }
      }
    }
  }

  /** The word of lane `by` (0 to 3) of each four consecutive lanes. */
  quadBroadcast(mask: Uint8Array, input: Int32Array, by: Int32Array, output: Int32Array, site: number): void {
    const { byLane, starts, laneOf } = this;
    for (let subgroup = 0; subgroup < this.subgroupCount; subgroup++) {
      if (this.#reaches(mask, subgroup, site)) {
        this.#hold(mask, subgroup, input);
        const end = starts[subgroup + 1] as number;
        for (let at = starts[subgroup] as number; at < end; at++) {
          const t = byLane[at] as number;
          if (mask[t] === 1) {
            const source = (by[t] as number) >>> 0;
            output[t] = this.#heldAt(source < 4 ? ((laneOf[t] as number) & ~3) + source : 128);
          }
        }
      }
    }
  }

  /** Whether any thread of the subgroup is active. It is a finding if some are, but not all that there are. */
  #reaches(mask: Uint8Array, subgroup: number, site: number): boolean {
    const { byLane, starts } = this;
    const start = starts[subgroup] as number;
    const end = starts[subgroup + 1] as number;
    let active = 0;
    for (let at = start; at < end; at++) {
      active += mask[byLane[at] as number] as number;
    }
    if (active !== end - start && active !== 0) {
      this.#reportDivergence(mask, subgroup, active, site);
    }
    return active !== 0;
  }

  /** How findings name a thread of this work-group. @internal */
  nameOf(thread: number): FindingThread {
    return { workGroup: [this.id[0] as number, this.id[1] as number, this.id[2] as number], thread };
  }

  #reportDivergence(mask: Uint8Array, subgroup: number, active: number, site: number): void {
    const { machine } = this;
    if (machine.hasReported("divergence", site)) {
      return;
    }
    const all = this.byLane.subarray(this.starts[subgroup], this.starts[subgroup + 1]);
    this.reportAbsence(
      site,
      [all.find((t) => mask[t] === 1) ?? 0, all.find((t) => mask[t] !== 1) ?? 0],
      `only ${active} of ${all.length} threads of subgroup ${subgroup}`,
      "the subgroup function",
    );
  }

  /** Reports that of two threads the first is where threads meet, and the second is not. */
  protected reportAbsence(
    site: number,
    [present, absent]: readonly [present: number, absent: number],
    who: string,
    what: string,
  ): void {
    const { machine } = this;
    const threads = [this.nameOf(present), this.nameOf(absent)] as const;
    const place = machine.context.sites.at(site);
    // A thread that is in the same call has left the others there, and not in the caller's text.
    const isInCall = place?.called !== undefined && this.callers?.[absent] !== 0;
    const way = isInCall ? "" : this.#wayOf(absent);
    const both = (does: string, doesNot: string): string =>
      `${nameOfThread(threads[0])} ${does}, thread ${absent} ${doesNot}${way}`;
    const message =
      place?.called !== undefined && !isInCall
        ? `${place.called}, called at line ${place.line} (in ${place.function}), is not reached by all threads: ${both("calls it", "does not")}`
        : `${who} reach ${what} at ${machine.nameOfSite(site)}: ${both("does", "does not")}`;
    machine.report("divergence", site, message, threads);
  }

  /** Where a thread has left the others, if the program is watched. */
  #wayOf(thread: number): string {
    const way = this.ways[thread] as number;
    return way === 0
      ? ""
      : `: ${WAYS[way % WAYS.length]} ${this.machine.nameOfSite(Math.floor(way / WAYS.length) - 1)}`;
  }

  /** The active thread at the lowest lane of a subgroup that has one. */
  #firstActive(mask: Uint8Array, subgroup: number): number {
    const { byLane } = this;
    let at = this.starts[subgroup] as number;
    while (mask[byLane[at] as number] !== 1) {
      at++;
    }
    return byLane[at] as number;
  }

  #give(mask: Uint8Array, subgroup: number, word: number, output: Int32Array): void {
    const { byLane, starts } = this;
    const end = starts[subgroup + 1] as number;
    for (let at = starts[subgroup] as number; at < end; at++) {
      const t = byLane[at] as number;
      if (mask[t] === 1) {
        output[t] = word;
      }
    }
  }

  /** Notes the words of the subgroup's active threads by lane. */
  #hold(mask: Uint8Array, subgroup: number, input: Int32Array): void {
    const { subgroupSize, threadAt } = this;
    const first = subgroup * subgroupSize;
    for (let lane = 0; lane < subgroupSize; lane++) {
      const t = threadAt[first + lane] as number;
      const isHeld = t !== -1 && mask[t] === 1;
      this.#isHeld[lane] = isHeld ? 1 : 0;
      this.#held[lane] = isHeld ? (input[t] as number) : 0;
    }
  }

  #heldAt(lane: number): number {
    return lane >= 0 && lane < this.subgroupSize && this.#isHeld[lane] === 1
      ? (this.#held[lane] as number)
      : this.machine.random.poison();
  }
}

/** The lane that a shuffle reads from; there may be none of that number. */
function sourceLane(kind: ShuffleKind, lane: number, by: number): number {
  switch (kind) {
    case "at":
      return by;
    case "up":
      return lane - by;
    case "down":
      return lane + by;
    case "xor":
      return (lane ^ by) >>> 0;
  }
}
