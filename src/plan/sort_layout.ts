import { u32 } from "../algebra/integers.ts";
import { carriedAs } from "../kernels/contract.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { copyKernel } from "../kernels/move_items.ts";
import type { Sizes } from "../kernels/sizes.ts";
import type { CheckedSort } from "./check_sort.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { ofItems, passOver, plainSizes } from "./plain_plan.ts";
import type { Bindable, Bindings, Pass, RangeName, Scratch } from "./plan.ts";
import { bound, itemTypesOf, rangesTaken, wholeWords } from "./plan.ts";

/** Where a sort leaves keys and values, and what plans of sorts have in common. */
export function layoutOf(
  { title, type, base, maxLength, valueType, keyBytes }: CheckedSort,
  sizes: Sizes,
  arrangements: readonly Arrangement[],
  passesOverData: number,
  facts: DeviceFacts,
) {
  const { keysAlone, payload, lengthOnGpu } = base;
  const storesKeys = !keysAlone;
  const needs = rangesTaken({
    input: true,
    output: true,
    values: payload.kind === "buffer",
    reordered: payload.kind === "buffer" || (payload.kind === "positions" && storesKeys),
    length: lengthOnGpu,
  });
  const valuesOut: RangeName = storesKeys ? "reordered" : "output";
  // A single pass needs scratch only for results that go aside.
  const late = passesOverData === 1;
  const keys: Scratch = { name: "keys", bytes: wholeWords(maxLength * keyBytes), late };
  const values: Scratch = {
    name: "values",
    bytes: payload.kind === "none" ? 0 : wholeWords(maxLength * valueType.bytes),
    late,
  };
  // Keys that no range takes.
  const otherKeys: Scratch = { name: "keys, in turn", bytes: storesKeys ? 0 : keys.bytes, late };

  const copySizes = plainSizes({ workGroupSize: 256, items: 4 }, title, type, {}, facts);
  const mayShare = arrangements.some((one) => one === "one-buffer" || one === "in-place");
  const takesCopies = mayShare && passesOverData % 2 === 1;
  const copyKeys =
    takesCopies && storesKeys ? copyKernel(carriedAs(type), copySizes, lengthOnGpu, true) : undefined;
  const copyValues =
    takesCopies && payload.kind !== "none"
      ? copyKernel(valueType.bytes === 8 ? "vec2<u32>" : "u32", copySizes, lengthOnGpu, true)
      : undefined;

  /** Where pass `at` of `count` leaves keys and values. The last one fills the caller's ranges, unless results go aside. */
  const leftBy = (at: number, count: number, aside: boolean): readonly [keys: Bindable, values: Bindable] => {
    const isLast = (count - 1 - at) % 2 === 0;
    const isOut = isLast !== aside;
    return isOut ? [storesKeys ? "output" : otherKeys, valuesOut] : [keys, values];
  };
  const bindingsFor = (
    kernel: Kernel,
    at: number,
    count: number,
    aside: boolean,
    spine?: Scratch,
  ): Bindings => {
    const [output, reordered] = leftBy(at, count, aside);
    const [input, valuesIn] = at === 0 ? (["input", "values"] as const) : leftBy(at - 1, count, aside);
    return bound(kernel, {
      input,
      output,
      values: valuesIn,
      reordered,
      ...(spine && { spine }),
      length_buffer: "length",
    });
  };
  /** The copies of results that went aside. */
  const copies = (length: number): Pass[] =>
    [copyKeys, copyValues].flatMap((kernel, at) =>
      kernel === undefined
        ? []
        : [
            passOver(kernel, length, {
              input: at === 0 ? keys : values,
              output: at === 0 ? "output" : valuesOut,
              length_buffer: "length",
            }),
          ],
    );
  const common = {
    ...ofItems(title, maxLength),
    needs,
    itemTypes: { ...itemTypesOf(type, storesKeys ? type : u32), values: valueType, reordered: valueType },
    sizes: { workGroupSize: sizes.workGroupSize, itemsPerThread: sizes.items },
    variants: [
      { arrangement: "items" as const },
      ...(takesCopies ? [{ arrangement: "one-buffer" as const, aside: true }] : []),
    ],
  };
  return {
    storesKeys,
    common,
    kernels: [copyKeys, copyValues],
    // Some sorts have no values, or no keys in turn.
    scratch: [keys, values, otherKeys].filter(({ bytes }) => bytes > 0),
    bindingsFor,
    copies,
  };
}
