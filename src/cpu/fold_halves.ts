import type { Loop, Task } from "./fold_words.ts";
import type { HalfBlock } from "./halves.ts";
import { decodeHalves, encodeHalves, halfBlock, roundedProduct, roundedSum } from "./halves.ts";

// Folds over f16: a block of elements becomes numbers of f32, is folded by a loop over these, and becomes bits again.

const BLOCK = 1024;

/** Sums of numbers of f16. */
export function addHalves({ input, output, carry, from, to, step }: Task<Float32Array>): void {
  let sum = carry[0] as number;
  for (let at = from; at < to; at += step) {
    sum = roundedSum(sum + (input[at] as number));
    output[at] = sum;
  }
  carry[0] = sum;
}

/** Products of numbers of f16. */
export function mulHalves({ input, output, carry, from, to, step }: Task<Float32Array>): void {
  let product = carry[0] as number;
  for (let at = from; at < to; at += step) {
    product = roundedProduct(product * (input[at] as number));
    output[at] = product;
  }
  carry[0] = product;
}

/** A fold over the bits of f16 by a loop over `numbers`, or over `words`, which are the bits of f32. */
export function overHalves<Name extends keyof HalfBlock>(
  name: Name,
  loop: Loop<HalfBlock[Name]>,
): Loop<Uint16Array> {
  let blocks: { readonly block: HalfBlock; readonly total: HalfBlock } | undefined;
  return (task) => {
    const { input, output, stores, carry, from, to, step } = task;
    blocks ??= { block: halfBlock(BLOCK), total: halfBlock(1) };
    const { block, total } = blocks;
    decodeHalves(carry, 0, 1, total, 1);
    const own: Task<HalfBlock[Name]> = {
      ...task,
      input: block[name],
      output: block[name],
      carry: total[name],
      from: 0,
      to: 0,
      step: 1,
    };
    for (let start = from; start < to; start += BLOCK * step) {
      own.to = Math.min(BLOCK, Math.ceil((to - start) / step));
      decodeHalves(input, start, step, block, own.to);
      loop(own);
      if (stores) {
        encodeHalves(block, own.to, output, start, step);
      }
    }
    encodeHalves(total, 1, carry, 0, 1);
  };
}
