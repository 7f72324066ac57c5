import type { Task } from "./fold_words.ts";

// Folds over floats, from left to right, rounded after each operation. The loops over f32 and over f64 stand here twice: see fold_words.ts.

export function addFloats({ input, output, stores, carry, from, to, step }: Task<Float32Array>): void {
  let sum = carry[0] as number;
  for (let at = from; at < to; at += step) {
    sum = Math.fround(sum + (input[at] as number));
    if (stores) {
      output[at] = sum;
    }
  }
  carry[0] = sum;
}

export function mulFloats({ input, output, stores, carry, from, to, step }: Task<Float32Array>): void {
  let product = carry[0] as number;
  for (let at = from; at < to; at += step) {
    product = Math.fround(product * (input[at] as number));
    if (stores) {
      output[at] = product;
    }
  }
  carry[0] = product;
}

/** The least number; with `flip` −1, the greatest one. NaN is passed over, and −0 comes before 0. */
export function leastFloat({ input, output, stores, carry, from, to, step, flip }: Task<Float32Array>): void {
  const sign = flip === 0 ? 1 : -1;
  let least = (carry[0] as number) * sign;
  for (let at = from; at < to; at += step) {
    const item = (input[at] as number) * sign;
    if (item <= least) {
      least = Math.min(item, least);
    }
    if (stores) {
      output[at] = least * sign;
    }
  }
  carry[0] = least * sign;
}

/** The least number; with `flip` −1, the greatest one. −0 comes before 0. From the first NaN on it is NaN. */
export function leastFloatOrNan({
  input,
  output,
  stores,
  carry,
  from,
  to,
  step,
  flip,
}: Task<Float32Array>): void {
  const sign = flip === 0 ? 1 : -1;
  let least = (carry[0] as number) * sign;
  for (let at = from; at < to; at += step) {
    const item = (input[at] as number) * sign;
    // `Math.min` takes −0 before 0. The NaN that it gives may have the bits of its operand.
    least = Number.isNaN(item) || Number.isNaN(least) ? Number.NaN : Math.min(item, least);
    if (stores) {
      output[at] = least * sign;
    }
  }
  carry[0] = least * sign;
}

export function addDoubles({ input, output, stores, carry, from, to, step }: Task<Float64Array>): void {
  let sum = carry[0] as number;
  for (let at = from; at < to; at += step) {
    sum += input[at] as number;
    if (stores) {
      output[at] = sum;
    }
  }
  carry[0] = sum;
}

export function mulDoubles({ input, output, stores, carry, from, to, step }: Task<Float64Array>): void {
  let product = carry[0] as number;
  for (let at = from; at < to; at += step) {
    product *= input[at] as number;
    if (stores) {
      output[at] = product;
    }
  }
  carry[0] = product;
}

/** As {@link leastFloat}. */
export function leastDouble({
  input,
  output,
  stores,
  carry,
  from,
  to,
  step,
  flip,
}: Task<Float64Array>): void {
  const sign = flip === 0 ? 1 : -1;
  let least = (carry[0] as number) * sign;
  for (let at = from; at < to; at += step) {
    const item = (input[at] as number) * sign;
    if (item <= least) {
      least = Math.min(item, least);
    }
    if (stores) {
      output[at] = least * sign;
    }
  }
  carry[0] = least * sign;
}

/** As {@link leastFloatOrNan}. */
export function leastDoubleOrNan({
  input,
  output,
  stores,
  carry,
  from,
  to,
  step,
  flip,
}: Task<Float64Array>): void {
  const sign = flip === 0 ? 1 : -1;
  let least = (carry[0] as number) * sign;
  for (let at = from; at < to; at += step) {
    const item = (input[at] as number) * sign;
    // `Math.min` takes −0 before 0. The NaN that it gives may have the bits of its operand.
    least = Number.isNaN(item) || Number.isNaN(least) ? Number.NaN : Math.min(item, least);
    if (stores) {
      output[at] = least * sign;
    }
  }
  carry[0] = least * sign;
}
