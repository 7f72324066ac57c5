import { WavefoldError } from "../../errors.ts";
import type { FindingThread } from "../findings.ts";
import { WordHistory } from "./history.ts";
import type { Machine } from "./machine.ts";
import { nameOfThread } from "./machine.ts";
import { HAS_SECOND, siteOf, THREAD_BITS, THREAD_MASK, threadOf } from "./shadow.ts";
import type { WorkGroup } from "./work_group.ts";

const nothing = new Int32Array(0);
const nothingTracked = new Uint8Array(0);

// The shadow of a location of storage memory. An epoch belongs to one work-group of one dispatch, between two of its storage barriers.
// A mark is the place of the text, and the thread.
const WRITE_EPOCH = 0;
const WRITE_MARK = 1;
const READ_EPOCH = 2;
/** Its sign says that a second read is noted: epoch and mark are in the words for seconds. */
const READ_MARK = 3;
const SHADOW_SHIFT = 2;

/** The shadow of all words of a memory, or of all upper halves. */
interface Shadow {
  readonly firsts: Int32Array;
  /** For each location, epoch and mark of a second read. */
  readonly seconds: Int32Array;
}
const noShadow: Shadow = { firsts: nothing, seconds: nothing };

/** Where, and by which thread, a word was written. */
interface LastWrite {
  readonly site: number;
  readonly thread: FindingThread;
}

/** The memory of a buffer. */
export class Memory {
  readonly words: Int32Array;
  /** The same memory, as bytes. */
  readonly bytes: Uint8Array;
  readonly label: string;
  /** Who accessed what: of words, and of the lower halves of words. Empty until a shader accesses them. @internal */
  shadow: Shadow = noShadow;
  /** The same, of upper halves. @internal */
  upperShadow: Shadow = noShadow;
  /** For each word, whether something has written its lower half (1) and its upper half (2). Empty if that is not tracked. @internal */
  readonly written: Uint8Array;
  /** Of the words that atomics changed, if loads may give older values. @internal */
  readonly histories = new Map<number, WordHistory>();

  /** With `isTracked`, reads of what nothing has written are findings: `markWritten` tells what was written from outside. */
  constructor(bytes: number, label: string, isTracked = false) {
    this.words = new Int32Array(Math.ceil(bytes / 4));
    this.bytes = new Uint8Array(this.words.buffer, 0, bytes);
    this.label = label;
    this.written = isTracked ? new Uint8Array(this.words.length) : nothingTracked;
  }

  /** Says that these bytes were written from outside: by a copy, or from the CPU. */
  markWritten(offset: number, size: number): void {
    if (this.written.length > 0) {
      this.written.fill(3, offset >> 2, (offset + size + 3) >> 2);
    }
  }

  /** @internal */
  makeShadow(): Shadow {
    this.shadow = this.#newShadow();
    return this.shadow;
  }

  /** @internal */
  makeUpperShadow(): Shadow {
    this.upperShadow = this.#newShadow();
    return this.upperShadow;
  }

  #newShadow(): Shadow {
    const { length } = this.words;
    try {
      return { firsts: new Int32Array(length << SHADOW_SHIFT), seconds: new Int32Array(2 * length) };
    } catch (cause) {
      throw new WavefoldError(
        `the simulator keeps 24 bytes for each word of a buffer that a shader writes, and there is no room for those of "${this.label}", which has ${this.bytes.length} bytes; take a smaller buffer (${String(cause)})`,
      );
    }
  }

  /** The last plain write of a word in the machine's present dispatch. @internal */
  lastWrite(word: number, machine: Machine): LastWrite | undefined {
    for (const { firsts } of [this.shadow, this.upperShadow]) {
      const at = word << SHADOW_SHIFT;
      const epoch = firsts[at + WRITE_EPOCH] ?? 0;
      if (epoch >= machine.firstEpoch) {
        const mark = firsts[at + WRITE_MARK] as number;
        const workGroup = machine.idOf(machine.groupIndexOf(epoch));
        return { site: siteOf(mark), thread: { workGroup, thread: threadOf(mark) } };
      }
    }
    return undefined;
  }

  /** The history of a word in this dispatch. @internal */
  historyOf(word: number, dispatch: number): WordHistory {
    let history = this.histories.get(word);
    if (history === undefined) {
      history = new WordHistory();
      this.histories.set(word, history);
    }
    if (history.dispatch !== dispatch) {
      history.begin(dispatch, this.words[word] as number);
    }
    return history;
  }
}

/** A range of a buffer that is bound for one dispatch. Indices count from its start. `g` is the work-group, `t` the thread, `site` the place of the text. */
export class StorageRange {
  readonly memory: Memory;
  /** Bytes. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
  readonly isWritten: boolean;
  /** What it holds. Shaders note what they read here with {@link checkReads}, and what they write with {@link checkWrites}. */
  readonly words: Int32Array;
  /** Whether {@link checkReads} does anything. */
  readonly checksReads: boolean;
  /** What findings call it: the variable's name, if there is one. */
  name = "";
  readonly #words: Int32Array;
  readonly #first: number;
  readonly #isTracked: boolean;

  /**
   * Offset and size are in bytes; the offset is a multiple of 4. `isWritten`: whether the shader may write it, so that races can be. `isTraced`:
   * whether all reads are noted.
   */
  constructor(memory: Memory, offset: number, size: number, isWritten: boolean, isTraced = false) {
    this.memory = memory;
    this.offset = offset;
    this.size = size;
    this.isWritten = isWritten;
    this.#words = memory.words;
    this.#first = offset >> 2;
    this.#isTracked = memory.written.length > 0;
    this.checksReads = isWritten || isTraced || this.#isTracked;
    const isWhole = offset === 0 && size >> 2 === memory.words.length;
    this.words = isWhole ? memory.words : memory.words.subarray(this.#first, this.#first + (size >> 2));
  }

  /** Notes plain reads of so many words from an index on. */
  checkReads(index: number, count: number, t: number, g: WorkGroup, site: number): void {
    const shadow = this.isWritten ? this.#lowerShadow() : noShadow;
    const end = this.#first + index + count;
    for (let word = this.#first + index; word < end; word++) {
      if (this.isWritten) {
        this.#checkRead(shadow, word, t, g, site);
      }
      if (this.#isTracked) {
        this.#checkIsWritten(word, 3, t, g, site);
      }
    }
  }

  /** Notes plain writes of so many words from an index on. */
  checkWrites(index: number, count: number, t: number, g: WorkGroup, site: number): void {
    const shadow = this.#lowerShadow();
    const { firsts } = shadow;
    const { firstEpoch, storageEpoch } = g;
    const mark = (site << THREAD_BITS) | t;
    const first = this.#first + index;
    const end = (first + count) << SHADOW_SHIFT;
    for (let at = first << SHADOW_SHIFT; at < end; at += 1 << SHADOW_SHIFT) {
      if (
        (firsts[at + WRITE_EPOCH] as number) >= firstEpoch ||
        (firsts[at + READ_EPOCH] as number) >= firstEpoch
      ) {
        this.#checkEarlier(shadow, at >> SHADOW_SHIFT, t, g, site);
      }
      firsts[at + WRITE_EPOCH] = storageEpoch;
      firsts[at + WRITE_MARK] = mark;
    }
    if (this.#isTracked) {
      this.memory.written.fill(3, first, first + count);
    }
  }

  /** 16 bits, for a plain read. The index counts these. */
  readHalf(index: number, t: number, g: WorkGroup, site: number): number {
    const word = this.#first + (index >> 1);
    const isUpper = (index & 1) === 1;
    if (this.isWritten) {
      this.#checkRead(isUpper ? this.#upperShadow() : this.#lowerShadow(), word, t, g, site);
    }
    if (this.#isTracked) {
      this.#checkIsWritten(word, isUpper ? 2 : 1, t, g, site);
    }
    return this.halfAt(index);
  }

  /** 16 bits, of which nobody notes that they are read. */
  halfAt(index: number): number {
    const both = this.#words[this.#first + (index >> 1)] as number;
    return (index & 1) === 1 ? both >>> 16 : both & 0xffff;
  }

  /** Writes 16 bits, plainly. */
  writeHalf(index: number, value: number, t: number, g: WorkGroup, site: number): void {
    const word = this.#first + (index >> 1);
    const isUpper = (index & 1) === 1;
    this.#checkWrite(isUpper ? this.#upperShadow() : this.#lowerShadow(), word, t, g, site);
    if (this.#isTracked) {
      this.#markWritten(word, isUpper ? 2 : 1);
    }
    const both = this.#words[word] as number;
    this.#words[word] = isUpper ? (both & 0xffff) | (value << 16) : (both & ~0xffff) | (value & 0xffff);
  }

  /** What `atomicLoad` gives: the newest value, or an older one if the options allow that. */
  load(index: number, g: WorkGroup, site: number, t = 0): number {
    const word = this.#first + index;
    if (this.#isTracked) {
      this.#checkIsWritten(word, 3, t, g, site);
    }
    const { machine } = g;
    return machine.options.olderValues
      ? g.views.choose(this.memory.historyOf(word, machine.dispatch), machine)
      : (this.#words[word] as number);
  }

  /** The newest value, for atomics that change it. Place and thread are for those who trace it. */
  latest(index: number, g: WorkGroup, _site?: number, _t?: number): number {
    const word = this.#first + index;
    if (g?.machine.options.olderValues) {
      g.views.seeNewest(this.memory.historyOf(word, g.machine.dispatch));
    }
    return this.#words[word] as number;
  }

  /** Stores what an atomic made of the newest value. */
  store(index: number, value: number, g: WorkGroup): void {
    const word = this.#first + index;
    const { machine } = g;
    if (machine.options.olderValues) {
      const history = this.memory.historyOf(word, machine.dispatch);
      history.add(value);
      g.views.seeNewest(history);
    }
    if (this.#isTracked) {
      this.#markWritten(word, 3);
    }
    if (this.#words[word] !== value) {
      machine.changes++;
      this.#words[word] = value;
    }
  }

  #lowerShadow(): Shadow {
    const { shadow } = this.memory;
    return shadow === noShadow ? this.memory.makeShadow() : shadow;
  }

  #upperShadow(): Shadow {
    const { upperShadow } = this.memory;
    return upperShadow === noShadow ? this.memory.makeUpperShadow() : upperShadow;
  }

  #checkRead(shadow: Shadow, word: number, t: number, g: WorkGroup, site: number): void {
    const { firsts } = shadow;
    const at = word << SHADOW_SHIFT;
    if ((firsts[at + WRITE_EPOCH] as number) >= g.firstEpoch) {
      this.#checkWriter(shadow, word, t, g, site, "reads");
    }
    const reader = firsts[at + READ_EPOCH] as number;
    if (reader < g.firstEpoch) {
      firsts[at + READ_EPOCH] = g.storageEpoch;
      firsts[at + READ_MARK] = (site << THREAD_BITS) | t;
    } else if (reader !== g.storageEpoch || ((firsts[at + READ_MARK] as number) & THREAD_MASK) !== t) {
      noteRead(shadow, word, (site << THREAD_BITS) | t, g);
    }
  }

  #checkWrite(shadow: Shadow, word: number, t: number, g: WorkGroup, site: number): void {
    const { firsts } = shadow;
    const at = word << SHADOW_SHIFT;
    this.#checkEarlier(shadow, word, t, g, site);
    firsts[at + WRITE_EPOCH] = g.storageEpoch;
    firsts[at + WRITE_MARK] = (site << THREAD_BITS) | t;
  }

  /** Reports races of a write with what is noted of this dispatch. */
  #checkEarlier(shadow: Shadow, word: number, t: number, g: WorkGroup, site: number): void {
    const at = word << SHADOW_SHIFT;
    if ((shadow.firsts[at + WRITE_EPOCH] as number) >= g.firstEpoch) {
      this.#checkWriter(shadow, word, t, g, site, "writes");
    }
    if ((shadow.firsts[at + READ_EPOCH] as number) >= g.firstEpoch) {
      this.#checkReaders(shadow, word, t, g, site);
    }
  }

  /** Reports a race with the last write, which is of this dispatch. */
  #checkWriter(shadow: Shadow, word: number, t: number, g: WorkGroup, site: number, does: string): void {
    const at = word << SHADOW_SHIFT;
    const epoch = shadow.firsts[at + WRITE_EPOCH] as number;
    const mark = shadow.firsts[at + WRITE_MARK] as number;
    if (conflicts(epoch, mark, t, g)) {
      this.#reportRace({ word, t, g, site, does }, { epoch, mark, did: "wrote" });
    }
  }

  /** Reports a race of a write with one of the reads of this dispatch that are noted. */
  #checkReaders(shadow: Shadow, word: number, t: number, g: WorkGroup, site: number): void {
    const at = word << SHADOW_SHIFT;
    const epoch = shadow.firsts[at + READ_EPOCH] as number;
    const mark = shadow.firsts[at + READ_MARK] as number;
    if (conflicts(epoch, mark, t, g)) {
      this.#reportRace({ word, t, g, site, does: "writes" }, { epoch, mark, did: "read" });
    } else if (mark < 0) {
      const secondEpoch = shadow.seconds[2 * word] as number;
      const second = shadow.seconds[2 * word + 1] as number;
      if (conflicts(secondEpoch, second, t, g)) {
        this.#reportRace(
          { word, t, g, site, does: "writes" },
          { epoch: secondEpoch, mark: second, did: "read" },
        );
      }
    }
  }

  #checkIsWritten(word: number, halves: number, t: number, g: WorkGroup, site: number): void {
    if (((this.memory.written[word] as number) & halves) !== halves) {
      this.#reportUninitialized(word, t, g, site);
    }
  }

  #markWritten(word: number, halves: number): void {
    this.memory.written[word] = (this.memory.written[word] as number) | halves;
  }

  #reportRace(access: Access, earlier: EarlierAccess): void {
    const { word, t, g, site, does } = access;
    const { machine } = g;
    const otherSite = siteOf(earlier.mark);
    if (!machine.hasReported("race", site, otherSite)) {
      const thread = g.nameOf(t);
      const index = machine.groupIndexOf(earlier.epoch);
      const other: FindingThread = { workGroup: machine.idOf(index), thread: threadOf(earlier.mark) };
      const why =
        index === g.index
          ? "no storageBarrier() is between them"
          : "nothing orders work-groups of one dispatch";
      machine.report(
        "race",
        site,
        `${nameOfThread(thread)} ${does} ${this.#nameOfWord(word)} at ${machine.nameOfSite(site)}, which ${nameOfThread(other)} ${earlier.did} at ${machine.nameOfSite(otherSite)}; ${why}`,
        [thread, other],
        otherSite,
      );
    }
  }

  #reportUninitialized(word: number, t: number, g: WorkGroup, site: number): void {
    const { machine } = g;
    if (!machine.hasReported("uninitialized", site)) {
      const thread = g.nameOf(t);
      machine.report(
        "uninitialized",
        site,
        `${nameOfThread(thread)} reads ${this.#nameOfWord(word)} at ${machine.nameOfSite(site)}, which nothing has written`,
        [thread],
      );
    }
  }

  #nameOfWord(word: number): string {
    const { label } = this.memory;
    const names = [this.name, label === "" && this.name !== "" ? "" : `buffer "${label}"`].filter(Boolean);
    return `word ${word - this.#first} of ${names.join(", ")}`;
  }
}

/** An access that is made now. */
interface Access {
  readonly word: number;
  readonly t: number;
  readonly g: WorkGroup;
  readonly site: number;
  readonly does: string;
}

/** What the shadow has of an earlier access. */
interface EarlierAccess {
  readonly epoch: number;
  readonly mark: number;
  readonly did: string;
}

/** Whether an access of this dispatch and one of a thread of `g` now have nothing between them that orders them. */
const conflicts = (epoch: number, mark: number, t: number, g: WorkGroup): boolean =>
  epoch === g.storageEpoch ? threadOf(mark) !== t : isOfOther(epoch, g);

/** Whether an epoch of this dispatch is of another work-group. */
const isOfOther = (epoch: number, g: WorkGroup): boolean => g.machine.groupIndexOf(epoch) !== g.index;

/**
 * Notes a read of a location that was read before in this dispatch, unless the noted reads suffice: a write that would be a race with any earlier
 * read is a race with one of those noted. Two reads of different work-groups suffice, or of different threads in one epoch.
 */
function noteRead({ firsts, seconds }: Shadow, word: number, mark: number, g: WorkGroup): void {
  const at = word << SHADOW_SHIFT;
  const first = firsts[at + READ_EPOCH] as number;
  const firstMark = firsts[at + READ_MARK] as number;
  const hasSecond = firstMark < 0;
  const second = hasSecond ? (seconds[2 * word] as number) : first;
  if (!isOfOther(first, g) && first !== g.storageEpoch && !isOfOther(second, g)) {
    // Both are of this work-group, and a barrier has ordered them.
    firsts[at + READ_EPOCH] = g.storageEpoch;
    firsts[at + READ_MARK] = mark;
  } else if (!hasSecond || (isOfOther(first, g) && areOfSame(first, second, g))) {
    seconds[2 * word] = g.storageEpoch;
    seconds[2 * word + 1] = mark;
    firsts[at + READ_MARK] = firstMark | HAS_SECOND;
  }
}

/** Whether two epochs of this dispatch are of one work-group. */
const areOfSame = (epoch: number, other: number, { machine }: WorkGroup): boolean =>
  machine.groupIndexOf(epoch) === machine.groupIndexOf(other);
