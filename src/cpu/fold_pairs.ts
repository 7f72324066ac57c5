import type { Task } from "./fold_words.ts";

// Folds over elements of 64 bits as two words each, the lower one first. They take no bigints, which engines allocate one by one where they
// do not know better.

export function addPairs({ input, output, stores, carry, from, to, step }: Task<Int32Array>): void {
  let low = carry[0] as number;
  let high = carry[1] as number;
  for (let at = 2 * from; at < 2 * to; at += 2 * step) {
    const item = input[at] as number;
    const sum = (low + item) | 0;
    // The carry out of the lower words, without a branch that depends on data.
    const over = ((low & item) | ((low | item) & ~sum)) >>> 31;
    low = sum;
    high = (high + (input[at + 1] as number) + over) | 0;
    if (stores) {
      output[at] = low;
      output[at + 1] = high;
    }
  }
  carry[0] = low;
  carry[1] = high;
}

/** The upper word of the product of two words, from products of their halves. */
function upperProduct(a: number, b: number): number {
  const low = a & 0xffff;
  const high = a >>> 16;
  const otherLow = b & 0xffff;
  const otherHigh = b >>> 16;
  const middle = (Math.imul(high, otherLow) + (Math.imul(low, otherLow) >>> 16)) | 0;
  const carried = (Math.imul(low, otherHigh) + (middle & 0xffff)) | 0;
  return (Math.imul(high, otherHigh) + (middle >>> 16) + (carried >>> 16)) | 0;
}

export function mulPairs({ input, output, stores, carry, from, to, step }: Task<Int32Array>): void {
  let low = carry[0] as number;
  let high = carry[1] as number;
  for (let at = 2 * from; at < 2 * to; at += 2 * step) {
    const item = input[at] as number;
    high = (upperProduct(low, item) + Math.imul(low, input[at + 1] as number) + Math.imul(high, item)) | 0;
    low = Math.imul(low, item);
    if (stores) {
      output[at] = low;
      output[at + 1] = high;
    }
  }
  carry[0] = low;
  carry[1] = high;
}

export function andPairs({ input, output, stores, carry, from, to, step }: Task<Int32Array>): void {
  let low = carry[0] as number;
  let high = carry[1] as number;
  for (let at = 2 * from; at < 2 * to; at += 2 * step) {
    low &= input[at] as number;
    high &= input[at + 1] as number;
    if (stores) {
      output[at] = low;
      output[at + 1] = high;
    }
  }
  carry[0] = low;
  carry[1] = high;
}

export function orPairs({ input, output, stores, carry, from, to, step }: Task<Int32Array>): void {
  let low = carry[0] as number;
  let high = carry[1] as number;
  for (let at = 2 * from; at < 2 * to; at += 2 * step) {
    low |= input[at] as number;
    high |= input[at + 1] as number;
    if (stores) {
      output[at] = low;
      output[at + 1] = high;
    }
  }
  carry[0] = low;
  carry[1] = high;
}

export function xorPairs({ input, output, stores, carry, from, to, step }: Task<Int32Array>): void {
  let low = carry[0] as number;
  let high = carry[1] as number;
  for (let at = 2 * from; at < 2 * to; at += 2 * step) {
    low ^= input[at] as number;
    high ^= input[at + 1] as number;
    if (stores) {
      output[at] = low;
      output[at + 1] = high;
    }
  }
  carry[0] = low;
  carry[1] = high;
}

export function leastPair({ input, output, stores, carry, from, to, step, ...how }: Task<Int32Array>): void {
  const { flip, lowFlip } = how;
  let low = (carry[0] as number) ^ lowFlip;
  let high = (carry[1] as number) ^ flip;
  for (let at = 2 * from; at < 2 * to; at += 2 * step) {
    const itemLow = (input[at] as number) ^ lowFlip;
    const itemHigh = (input[at + 1] as number) ^ flip;
    if (itemHigh < high || (itemHigh === high && itemLow < low)) {
      low = itemLow;
      high = itemHigh;
    }
    if (stores) {
      output[at] = low ^ lowFlip;
      output[at + 1] = high ^ flip;
    }
  }
  carry[0] = low ^ lowFlip;
  carry[1] = high ^ flip;
}

/** As `anyWord`. */
export function anyPair({ input, output, stores, carry, from, to, step, ...how }: Task<Int32Array>): void {
  const { flip, mask } = how;
  const isAnd = flip !== 0;
  const [low, high] = how.one;
  const isTrue = ((carry[0] as number) | (carry[1] as number)) !== 0;
  let at = 2 * from;
  const beforeLow = isAnd ? low : 0;
  const beforeHigh = isAnd ? high : 0;
  if (isTrue === isAnd) {
    for (
      ;
      at < 2 * to && (((input[at] as number) | ((input[at + 1] as number) & mask)) !== 0) === isAnd;
      at += 2 * step
    ) {
      if (stores) {
        output[at] = beforeLow;
        output[at + 1] = beforeHigh;
      }
    }
  }
  if (at < 2 * to) {
    carry[0] = low - beforeLow;
    carry[1] = high - beforeHigh;
  }
  for (; stores && at < 2 * to; at += 2 * step) {
    output[at] = low - beforeLow;
    output[at + 1] = high - beforeHigh;
  }
}

/** As `oddWords`. */
export function oddPairs({ input, output, stores, carry, from, to, step, ...how }: Task<Int32Array>): void {
  const { mask } = how;
  const [low, high] = how.one;
  let odd = ((carry[0] as number) | (carry[1] as number)) === 0 ? 0 : -1;
  for (let at = 2 * from; at < 2 * to; at += 2 * step) {
    odd ^= 0 - (((input[at] as number) | ((input[at + 1] as number) & mask)) !== 0 ? 1 : 0);
    if (stores) {
      output[at] = odd & low;
      output[at + 1] = odd & high;
    }
  }
  carry[0] = odd & low;
  carry[1] = odd & high;
}
