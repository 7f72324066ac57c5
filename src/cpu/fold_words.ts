// Folds over words of 32 bits: the elements of u32, i32 and f32 as an `Int32Array` has them. `flip` turns the greatest
// element into the least one, so that one loop finds both.
//
// Each loop is a function of its own, for one kind of array. So engines compile each for the arrays that it gets, whatever a program folded
// before. It also keeps loops free of calls.

/** What a loop folds. Elements count from the start of the arrays. */
export interface Task<View> {
  readonly input: View;
  /** Receives the prefixes, if `stores` says so. It may be the input. */
  readonly output: View;
  readonly stores: boolean;
  /** Has the element that comes before the first one, and receives the total. */
  readonly carry: View;
  /** The first element, and the one after the last one. */
  from: number;
  to: number;
  /** The distance from an element to the next one of the fold. */
  readonly step: number;
  /** What the bits of an element, or of its upper word, are combined with by `xor` before they are compared or combined. */
  readonly flip: number;
  /** The same for the lower word of 64 bits. */
  readonly lowFlip: number;
  /** The bits of a word, or of an upper word, that make an element true. */
  readonly mask: number;
  /** The element that is shown for true. */
  readonly one: readonly [low: number, high: number];
}

export type Loop<View> = (task: Task<View>) => void;

/** What a loop computes. */
export type Operation = "sum" | "product" | "least" | "leastOrNan" | "and" | "or" | "xor" | "any" | "odd";

/** The types whose loops are the same. */
export type Family = "words" | "pairs" | "f32" | "f64" | "f16";

/** The loops of a family. They take words; but sums, products and the least of floats take their numbers. */
export type FamilyLoops = Readonly<
  Partial<Record<Operation, Loop<Int32Array> | Loop<Float32Array> | Loop<Float64Array> | Loop<Uint16Array>>>
>;

export function addWords({ input, output, stores, carry, from, to, step }: Task<Int32Array>): void {
  let sum = carry[0] as number;
  for (let at = from; at < to; at += step) {
    sum = (sum + (input[at] as number)) | 0;
    if (stores) {
      output[at] = sum;
    }
  }
  carry[0] = sum;
}

export function mulWords({ input, output, stores, carry, from, to, step }: Task<Int32Array>): void {
  let product = carry[0] as number;
  for (let at = from; at < to; at += step) {
    product = Math.imul(product, input[at] as number);
    if (stores) {
      output[at] = product;
    }
  }
  carry[0] = product;
}

export function andWords({ input, output, stores, carry, from, to, step }: Task<Int32Array>): void {
  let bits = carry[0] as number;
  for (let at = from; at < to; at += step) {
    bits &= input[at] as number;
    if (stores) {
      output[at] = bits;
    }
  }
  carry[0] = bits;
}

export function orWords({ input, output, stores, carry, from, to, step }: Task<Int32Array>): void {
  let bits = carry[0] as number;
  for (let at = from; at < to; at += step) {
    bits |= input[at] as number;
    if (stores) {
      output[at] = bits;
    }
  }
  carry[0] = bits;
}

export function xorWords({ input, output, stores, carry, from, to, step }: Task<Int32Array>): void {
  let bits = carry[0] as number;
  for (let at = from; at < to; at += step) {
    bits ^= input[at] as number;
    if (stores) {
      output[at] = bits;
    }
  }
  carry[0] = bits;
}

export function leastWord({ input, output, stores, carry, from, to, step, flip }: Task<Int32Array>): void {
  let least = (carry[0] as number) ^ flip;
  for (let at = from; at < to; at += step) {
    const key = (input[at] as number) ^ flip;
    least = key < least ? key : least;
    if (stores) {
      output[at] = least ^ flip;
    }
  }
  carry[0] = least ^ flip;
}

/** `logicalOr`; with `flip` −1, `logicalAnd`. All results are the same from the first element on that decides. */
export function anyWord({ input, output, stores, carry, from, to, step, ...how }: Task<Int32Array>): void {
  const { flip, mask } = how;
  const isAnd = flip !== 0;
  const [one] = how.one;
  const before = isAnd ? one : 0;
  let at = from;
  if (carry[0] === before) {
    for (; at < to && (((input[at] as number) & mask) !== 0) === isAnd; at += step) {
      if (stores) {
        output[at] = before;
      }
    }
  }
  if (at < to) {
    carry[0] = one - before;
  }
  for (; stores && at < to; at += step) {
    output[at] = one - before;
  }
}

/** `logicalXor`. */
export function oddWords({ input, output, stores, carry, from, to, step, ...how }: Task<Int32Array>): void {
  const { mask } = how;
  const [one] = how.one;
  let odd = carry[0] === 0 ? 0 : one;
  for (let at = from; at < to; at += step) {
    odd ^= (0 - (((input[at] as number) & mask) !== 0 ? 1 : 0)) & one;
    if (stores) {
      output[at] = odd;
    }
  }
  carry[0] = odd;
}
