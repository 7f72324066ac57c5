// Sorts of 32-bit keys, stable, by some of their bits: short ranges by comparing, longer ones digit by digit from the lowest on.

/** Keys, and a word of each that moves with it. A sort may put other arrays in their places. */
export interface Moved {
  keys: Uint32Array;
  words: Uint32Array | undefined;
  /** Whether one of the arrays is the caller's, so that nothing may be written there. */
  isShared?: boolean;
  /** Memory to move to. It is made when it is needed. */
  aside?: Arrays;
}

/** The bits of keys to sort by: `count` of them, from the bit `shift` on. */
export interface KeyBits {
  readonly shift: number;
  readonly count: number;
}

/** A digit of keys. The numbers of keys that have each of its values stand in a list of all digits, from `first` on. */
interface Digit {
  readonly shift: number;
  readonly mask: number;
  readonly first: number;
}

/** Up to so many keys are sorted by insertion. */
const INSERTED = 12;
/** Up to so many keys are sorted by the engine. Twice as many take 25 ns a key in digits, and 30 ns with words, where the engine takes 35 to 40. */
const BY_ENGINE = 280;
/** From so many keys on, digits have 11 bits. Fewer have digits of 8 bits, whose counts are fewer. */
const WIDE = 3000;

/** Sorts ranges of keys, each from a start up to the next one, and their words with them. Keys that are equal in the bits keep their order. */
export function sortRanges(moved: Moved, bits: KeyBits, starts: Uint32Array): void {
  for (let at = 1; at < starts.length; at++) {
    sortRange(moved, starts[at - 1] as number, starts[at] as number, bits);
  }
  takeCopies(moved);
}

/** Sorts a range of keys, and their words with them. */
export function sortRange(moved: Moved, begin: number, end: number, bits: KeyBits): void {
  const length = end - begin;
  if (length > INSERTED && isInOrder(moved.keys, begin, end, bits)) {
    return;
  }
  if (length > BY_ENGINE) {
    sortDigits(moved, begin, end, bits);
    return;
  }
  takeCopies(moved);
  if (length <= INSERTED) {
    insert(moved, begin, end, bits);
  } else if (!moved.words && bits.count === 32) {
    moved.keys.subarray(begin, end).sort();
  } else {
    sortPlaces(moved, begin, end, bits);
  }
}

/** Makes copies of arrays that may be the caller's. */
function takeCopies(moved: Moved): void {
  if (moved.isShared) {
    moved.keys = moved.keys.slice();
    moved.words = moved.words?.slice();
    moved.isShared = false;
  }
}

const maskOf = (count: number): number => (count === 32 ? -1 : (1 << count) - 1);

function insert({ keys, words }: Moved, begin: number, end: number, { shift, count }: KeyBits): void {
  const mask = maskOf(count);
  for (let at = begin + 1; at < end; at++) {
    const key = keys[at] as number;
    const word = words ? (words[at] as number) : 0;
    const bits = ((key >>> shift) & mask) >>> 0;
    let to = at;
    while (to > begin && (((keys[to - 1] as number) >>> shift) & mask) >>> 0 > bits) {
      keys[to] = keys[to - 1] as number;
      if (words) {
        words[to] = words[to - 1] as number;
      }
      to -= 1;
    }
    keys[to] = key;
    if (words) {
      words[to] = word;
    }
  }
}

function isInOrder(keys: Uint32Array, begin: number, end: number, { shift, count }: KeyBits): boolean {
  const mask = maskOf(count);
  let before = 0;
  for (let at = begin; at < end; at++) {
    const bits = (((keys[at] as number) >>> shift) & mask) >>> 0;
    if (bits < before) {
      return false;
    }
    before = bits;
  }
  return true;
}

/** Sorts 64-bit numbers of the bits of a key and its place, so that no two are equal. */
function sortPlaces({ keys, words }: Moved, begin: number, end: number, { shift, count }: KeyBits): void {
  const length = end - begin;
  const mask = maskOf(count);
  const numbers = new Uint32Array(2 * length);
  for (let at = 0; at < length; at++) {
    numbers[2 * at] = at;
    numbers[2 * at + 1] = ((keys[begin + at] as number) >>> shift) & mask;
  }
  new BigUint64Array(numbers.buffer).sort();
  const oldKeys = keys.slice(begin, end);
  const oldWords = words?.slice(begin, end);
  for (let at = 0; at < length; at++) {
    const place = numbers[2 * at] as number;
    keys[begin + at] = oldKeys[place] as number;
    if (words && oldWords) {
      words[begin + at] = oldWords[place] as number;
    }
  }
}

/** Sorts by one digit after another. Digits that are equal in all keys are left out. */
function sortDigits(moved: Moved, begin: number, end: number, bits: KeyBits): void {
  const length = end - begin;
  if (length < moved.keys.length) {
    takeCopies(moved);
  }
  const given = rangeOf(moved, begin, end);
  const digits = digitsOf(length, bits);
  const counts = new Int32Array(4 * ((digits[0] as Digit).mask + 1));
  countDigits(given.keys, digits, counts);
  const sample = given.keys[0] as number;
  const live = digits.filter(
    ({ shift, mask, first }) => counts[first + ((sample >>> shift) & mask)] !== length,
  );
  let from = given;
  let to = asideOf(moved, length);
  live.forEach((digit, at) => {
    startDigit(counts, digit);
    if (from.words && to.words) {
      movePairs(from as Pairs, to as Pairs, digit, counts);
    } else {
      moveKeys(from.keys, to.keys, digit, counts);
    }
    const last = from;
    from = to;
    to = moved.isShared && at === 0 ? arraysLike(moved, length) : last;
  });
  if (length === moved.keys.length) {
    Object.assign(moved, from, { aside: to, isShared: moved.isShared && live.length === 0 });
  } else if (from !== given) {
    moved.keys.set(from.keys, begin);
    if (from.words) {
      moved.words?.set(from.words, begin);
    }
  }
}

type Arrays = Pick<Moved, "keys" | "words">;

const rangeOf = ({ keys, words }: Arrays, begin: number, end: number): Arrays =>
  end - begin === keys.length
    ? { keys, words }
    : { keys: keys.subarray(begin, end), words: words?.subarray(begin, end) };

const arraysLike = ({ words }: Arrays, length: number): Arrays => ({
  keys: new Uint32Array(length),
  words: words && new Uint32Array(length),
});

/** Memory for `length` keys, and for their words. */
function asideOf(moved: Moved, length: number): Arrays {
  if (moved.aside === undefined || moved.aside.keys.length < length) {
    moved.aside = arraysLike(moved, length);
  }
  return rangeOf(moved.aside, 0, length);
}

/** The digits to sort so many keys by: up to four. */
function digitsOf(length: number, { shift, count: bits }: KeyBits): readonly Digit[] {
  const most = length < WIDE ? 8 : 11;
  const width = Math.ceil(bits / Math.ceil(bits / most));
  const digits: Digit[] = [];
  for (let bit = 0; bit < bits; bit += width) {
    const mask = maskOf(Math.min(width, bits - bit));
    digits.push({ shift: shift + bit, mask, first: digits.length << width });
  }
  return digits;
}

/** Counts the keys by each digit, in one pass. */
function countDigits(keys: Uint32Array, digits: readonly Digit[], counts: Int32Array): void {
  const zero = digits[0] as Digit;
  const [{ shift: shift0, mask: mask0 }, digit1 = zero, digit2 = zero, digit3 = zero] = [
    zero,
    ...digits.slice(1),
  ];
  const { shift: shift1, mask: mask1, first: first1 } = digit1;
  const { shift: shift2, mask: mask2, first: first2 } = digit2;
  const { shift: shift3, mask: mask3, first: first3 } = digit3;
  const count = digits.length;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as number;
    (counts[(key >>> shift0) & mask0] as number)++;
    if (count > 1) {
      (counts[first1 + ((key >>> shift1) & mask1)] as number)++;
    }
    if (count > 2) {
      (counts[first2 + ((key >>> shift2) & mask2)] as number)++;
    }
    if (count > 3) {
      (counts[first3 + ((key >>> shift3) & mask3)] as number)++;
    }
  }
}

/** Puts in the place of each count of a digit where the keys with that value start. */
function startDigit(counts: Int32Array, { mask, first }: Digit): void {
  let sum = 0;
  for (let at = first; at <= first + mask; at++) {
    const count = counts[at] as number;
    counts[at] = sum;
    sum += count;
  }
}

/** The next place of a value. The one after it is the next one then. */
function takePlace(next: Int32Array, value: number): number {
  const place = next[value] as number;
  next[value] = place + 1;
  return place;
}

/** Moves two keys in a turn: a sort takes a seventh less time. */
function moveKeys(from: Uint32Array, to: Uint32Array, digit: Digit, next: Int32Array): void {
  const { shift, mask, first } = digit;
  const { length } = from;
  let at = 0;
  for (; at + 1 < length; at += 2) {
    const key = from[at] as number;
    const other = from[at + 1] as number;
    to[takePlace(next, first + ((key >>> shift) & mask))] = key;
    to[takePlace(next, first + ((other >>> shift) & mask))] = other;
  }
  if (at < length) {
    const key = from[at] as number;
    to[takePlace(next, first + ((key >>> shift) & mask))] = key;
  }
}

type Pairs = Readonly<Record<"keys" | "words", Uint32Array>>;

function movePairs({ keys, words }: Pairs, to: Pairs, digit: Digit, next: Int32Array): void {
  const { keys: toKeys, words: toWords } = to;
  const { shift, mask, first } = digit;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as number;
    const place = takePlace(next, first + ((key >>> shift) & mask));
    toKeys[place] = key;
    toWords[place] = words[at] as number;
  }
}
