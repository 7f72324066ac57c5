import { WavefoldError } from "../../errors.ts";
import type { FindingThread } from "../findings.ts";
import { WordHistory } from "./history.ts";
import { nameOfThread } from "./machine.ts";
import { siteOf, THREAD_BITS, THREAD_MASK, threadOf } from "./shadow.ts";
import type { WorkGroup } from "./work_group.ts";

const nothing = new Int32Array(0);
const nothingTracked = new Uint8Array(0);

// The shadow of a location of storage memory. A serial number tells which work-group of which dispatch accessed it.
// The last write: serial number, epoch, mark.
const WRITE_SERIAL = 0;
const WRITE_EPOCH = 1;
const WRITE_MARK = 2;
// The first read: serial number, epoch, mark.
const READ_SERIAL = 3;
const READ_EPOCH = 4;
const READ_MARK = 5;
// A read of another work-group, or, of the same work-group and epoch, of another thread: serial number, mark.
const SECOND_SERIAL = 6;
const SECOND_MARK = 7;
const SHADOW_SHIFT = 3;

/** The memory of a buffer. */
export class Memory {
  readonly words: Int32Array;
  /** The same memory, as bytes. */
  readonly bytes: Uint8Array;
  readonly label: string;
  /** Who accessed what: of words, and of the lower halves of words. Empty until a shader accesses them. @internal */
  shadow: Int32Array = nothing;
  /** The same, of upper halves. @internal */
  upperShadow: Int32Array = nothing;
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
  makeShadow(): Int32Array {
    this.shadow = this.#newShadow();
    return this.shadow;
  }

  /** @internal */
  makeUpperShadow(): Int32Array {
    this.upperShadow = this.#newShadow();
    return this.upperShadow;
  }

  #newShadow(): Int32Array {
    try {
      return new Int32Array(this.words.length << SHADOW_SHIFT);
    } catch (cause) {
      throw new WavefoldError(
        `the simulator keeps ${4 << SHADOW_SHIFT} bytes for each word of a buffer that a shader writes, and there is no room for those of "${this.label}", which has ${this.bytes.length} bytes; take a smaller buffer (${String(cause)})`,
      );
    }
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
  readonly size: number;
  /** What findings call it: the variable's name, if there is one. */
  name = "";
  readonly #words: Int32Array;
  readonly #first: number;
  readonly #isWritten: boolean;
  readonly #isTracked: boolean;

  /** Offset and size are in bytes; the offset is a multiple of 4. `isWritten`: whether the shader may write it, so that races can be. */
  constructor(memory: Memory, offset: number, size: number, isWritten: boolean) {
    this.memory = memory;
    this.size = size;
    this.#words = memory.words;
    this.#first = offset >> 2;
    this.#isWritten = isWritten;
    this.#isTracked = memory.written.length > 0;
  }

  /** A word, for a plain read. */
  read(index: number, t: number, g: WorkGroup, site: number): number {
    const word = this.#first + index;
    if (this.#isWritten) {
      this.#checkRead(this.#lowerShadow(), word, t, g, site);
    }
    if (this.#isTracked) {
      this.#checkIsWritten(word, 3, t, g, site);
    }
    return this.#words[word] as number;
  }

  /** Writes a word, plainly. */
  write(index: number, value: number, t: number, g: WorkGroup, site: number): void {
    const word = this.#first + index;
    this.#checkWrite(this.#lowerShadow(), word, t, g, site);
    if (this.#isTracked) {
      this.#markWritten(word, 3);
    }
    this.#words[word] = value;
  }

  /** 16 bits, for a plain read. The index counts these. */
  readHalf(index: number, t: number, g: WorkGroup, site: number): number {
    const word = this.#first + (index >> 1);
    const isUpper = (index & 1) === 1;
    if (this.#isWritten) {
      this.#checkRead(isUpper ? this.#upperShadow() : this.#lowerShadow(), word, t, g, site);
    }
    if (this.#isTracked) {
      this.#checkIsWritten(word, isUpper ? 2 : 1, t, g, site);
    }
    const both = this.#words[word] as number;
    return isUpper ? both >>> 16 : both & 0xffff;
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
  load(index: number, g: WorkGroup, site: number): number {
    const word = this.#first + index;
    if (this.#isTracked) {
      this.#checkIsWritten(word, 3, 0, g, site);
    }
    const { machine } = g;
    return machine.options.olderValues
      ? g.views.choose(this.memory.historyOf(word, machine.dispatch), machine)
      : (this.#words[word] as number);
  }

  /** The newest value, for atomics that change it. */
  latest(index: number, g?: WorkGroup): number {
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

  #lowerShadow(): Int32Array {
    const { shadow } = this.memory;
    return shadow.length === 0 ? this.memory.makeShadow() : shadow;
  }

  #upperShadow(): Int32Array {
    const { upperShadow } = this.memory;
    return upperShadow.length === 0 ? this.memory.makeUpperShadow() : upperShadow;
  }

  #checkRead(shadow: Int32Array, word: number, t: number, g: WorkGroup, site: number): void {
    const at = word << SHADOW_SHIFT;
    const writer = shadow[at + WRITE_SERIAL] as number;
    if (
      writer >= g.firstSerial &&
      (shadow[at + WRITE_EPOCH] === g.storageEpoch
        ? ((shadow[at + WRITE_MARK] as number) & THREAD_MASK) !== t
        : writer !== g.serial)
    ) {
      this.#reportRace(
        { word, t, g, site, does: "reads" },
        { serial: writer, mark: shadow[at + WRITE_MARK] as number, did: "wrote" },
      );
    }
    if (
      shadow[at + READ_EPOCH] !== g.storageEpoch ||
      ((shadow[at + READ_MARK] as number) & THREAD_MASK) !== t
    ) {
      noteRead(shadow, at, (site << THREAD_BITS) | t, g);
    }
  }

  #checkWrite(shadow: Int32Array, word: number, t: number, g: WorkGroup, site: number): void {
    const at = word << SHADOW_SHIFT;
    const writer = shadow[at + WRITE_SERIAL] as number;
    if (
      writer >= g.firstSerial &&
      (shadow[at + WRITE_EPOCH] === g.storageEpoch
        ? ((shadow[at + WRITE_MARK] as number) & THREAD_MASK) !== t
        : writer !== g.serial)
    ) {
      this.#reportRace(
        { word, t, g, site, does: "writes" },
        { serial: writer, mark: shadow[at + WRITE_MARK] as number, did: "wrote" },
      );
    }
    if ((shadow[at + READ_SERIAL] as number) >= g.firstSerial) {
      this.#checkReaders(shadow, word, t, g, site);
    }
    shadow[at + WRITE_SERIAL] = g.serial;
    shadow[at + WRITE_EPOCH] = g.storageEpoch;
    shadow[at + WRITE_MARK] = (site << THREAD_BITS) | t;
  }

  /** Reports a race of a write with one of the two reads that the shadow has of this dispatch. */
  #checkReaders(shadow: Int32Array, word: number, t: number, g: WorkGroup, site: number): void {
    const at = word << SHADOW_SHIFT;
    const reader = shadow[at + READ_SERIAL] as number;
    const mark = shadow[at + READ_MARK] as number;
    const second = shadow[at + SECOND_SERIAL] as number;
    const secondMark = shadow[at + SECOND_MARK] as number;
    const isThisEpoch = shadow[at + READ_EPOCH] === g.storageEpoch;
    if (isThisEpoch ? threadOf(mark) !== t : reader !== g.serial) {
      this.#reportRace({ word, t, g, site, does: "writes" }, { serial: reader, mark, did: "read" });
    } else if (
      second >= g.firstSerial &&
      (second !== g.serial || (isThisEpoch && threadOf(secondMark) !== t))
    ) {
      this.#reportRace(
        { word, t, g, site, does: "writes" },
        { serial: second, mark: secondMark, did: "read" },
      );
    }
  }

  #checkIsWritten(word: number, halves: number, t: number, g: WorkGroup, site: number): void {
    if (((this.memory.written[word] as number) & halves) !== halves) {
      this.#reportUninitialised(word, t, g, site);
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
      const other: FindingThread = {
        workGroup: machine.groupOf(earlier.serial),
        thread: threadOf(earlier.mark),
      };
      const why =
        earlier.serial === g.serial
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

  #reportUninitialised(word: number, t: number, g: WorkGroup, site: number): void {
    const { machine } = g;
    if (!machine.hasReported("uninitialised", site)) {
      const thread = g.nameOf(t);
      machine.report(
        "uninitialised",
        site,
        `${nameOfThread(thread)} reads ${this.#nameOfWord(word)} at ${machine.nameOfSite(site)}, which nothing has written`,
        [thread],
      );
    }
  }

  #nameOfWord(word: number): string {
    const variable = this.name === "" ? "" : `${this.name}, `;
    return `word ${word - this.#first} of ${variable}buffer "${this.memory.label}"`;
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
  readonly serial: number;
  readonly mark: number;
  readonly did: string;
}

/**
 * Notes a read of a location, unless the noted ones suffice: a write by any thread that would be a race with any earlier
 * read is a race with one of those noted. Reads of one work-group before its last storage barrier matter to others only.
 */
function noteRead(shadow: Int32Array, at: number, mark: number, g: WorkGroup): void {
  const reader = shadow[at + READ_SERIAL] as number;
  const second = shadow[at + SECOND_SERIAL] as number;
  const hasSecond = second >= g.firstSerial;
  const isOutdated =
    reader === g.serial && shadow[at + READ_EPOCH] !== g.storageEpoch && !(hasSecond && second !== g.serial);
  if (reader < g.firstSerial || isOutdated) {
    shadow[at + READ_SERIAL] = g.serial;
    shadow[at + READ_EPOCH] = g.storageEpoch;
    shadow[at + READ_MARK] = mark;
    shadow[at + SECOND_SERIAL] = 0;
  } else if (!hasSecond || (second === reader && reader !== g.serial)) {
    shadow[at + SECOND_SERIAL] = g.serial;
    shadow[at + SECOND_MARK] = mark;
  }
}
