/**
 * Random numbers by a seed: PCG with 32 bits of state (RXS M XS), from O'Neill, "PCG: A family of simple fast
 * space-efficient statistically good algorithms for random number generation", 2014.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
    this.next();
  }

  /** Another one, which gives the numbers that this one is about to give. */
  copy(): Random {
    const copy = new Random(0);
    copy.#state = this.#state;
    return copy;
  }

  /** 32 random bits, as an int32. */
  next(): number {
    const state = (Math.imul(this.#state, 747796405) + 2891336453) | 0;
    this.#state = state;
    const word = Math.imul(state ^ (state >>> ((state >>> 28) + 4)), 277803737);
    return (word ^ (word >>> 22)) | 0;
  }

  /** A whole number from 0 up to below `end`, which is at most 2^31. */
  below(end: number): number {
    return Math.floor(((this.next() >>> 0) * end) / 2 ** 32);
  }

  /** Brings the first `count` values into a random order (Fisher and Yates). */
  shuffle(values: Int32Array, count: number): void {
    for (let at = count - 1; at > 0; at--) {
      const other = this.below(at + 1);
      const value = values[at] as number;
      values[at] = values[other] as number;
      values[other] = value;
    }
  }

  /**
   * A word that no kernel expects, for what has no value. It is odd and large as an integer, 2,000,000 and more as f32, and its low
   * half 1,025 and more as f16.
   */
  poison(): number {
    return (this.next() & 0x80ff83fe) | 0x4a006401;
  }
}
