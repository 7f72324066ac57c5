import { copyKernel } from "../kernels/compact.ts";
import { carriedAs } from "../kernels/contract.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { bindingOf } from "../kernels/kernel.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { baseNames, sortBindingOf } from "../kernels/sort.ts";
import type { CheckedSort } from "./check_sort.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { plainSizes, ungrouped } from "./one_dispatch_plan.ts";
import type { Pass, RangeName, Slot } from "./plan.ts";
import { bound, itemBytesOf, wholeWords } from "./plan.ts";

/** Where a sort leaves keys and values, and what plans of sorts have in common. */
export function layoutOf(
  { title, type, base, maxLength, valueBytes, keyBytes }: CheckedSort,
  sizes: Sizes,
  arrangements: readonly Arrangement[],
  passesOverData: number,
  facts: DeviceFacts,
) {
  const { keysAlone, payload, lengthOnGpu } = base;
  const storesKeys = !keysAlone;
  const needs = new Set<RangeName>([
    "input",
    "output",
    ...(payload.kind === "buffer" ? (["values", "reordered"] as const) : []),
    ...(payload.kind === "positions" && storesKeys ? (["reordered"] as const) : []),
    ...(lengthOnGpu ? (["length"] as const) : []),
  ]);
  const valuesOut: RangeName = storesKeys ? "reordered" : "output";
  const scratchKeyBytes = wholeWords(maxLength * keyBytes);
  const scratchValueBytes = payload.kind === "none" ? 0 : wholeWords(maxLength * valueBytes);
  // The scratch of keys that no range takes, of values, and what counts digits.
  const keys = 0;
  const values = 1;
  const otherKeys = 2;
  const spine = 3;

  const copySizes = plainSizes({ workGroupSize: 256, items: 4 }, title, type, {}, facts);
  const mayShare = arrangements.some((one) => one === "one-buffer" || one === "in-place");
  const takesCopies = mayShare && passesOverData % 2 === 1;
  const copyKeys =
    takesCopies && storesKeys ? copyKernel(carriedAs(type), copySizes, lengthOnGpu, true) : undefined;
  const copyValues =
    takesCopies && payload.kind !== "none"
      ? copyKernel(valueBytes === 8 ? "vec2<u32>" : "u32", copySizes, lengthOnGpu, true)
      : undefined;

  /** Where pass `at` of `count` leaves keys and values. The last one fills the caller's ranges, unless results go aside. */
  const slotsOf = (at: number, count: number, aside: boolean): readonly [keys: Slot, values: Slot] => {
    const isLast = (count - 1 - at) % 2 === 0;
    const isOut = isLast !== aside;
    const inOutput: Slot = storesKeys ? "output" : { scratch: otherKeys };
    return [isOut ? inOutput : { scratch: keys }, isOut ? valuesOut : { scratch: values }];
  };
  const slotsFor = (kernel: Kernel, at: number, count: number, aside: boolean): Pass["slots"] => {
    const [keysOut, valuesTo] = slotsOf(at, count, aside);
    const [keysIn, valuesIn]: readonly [Slot, Slot] =
      at === 0 ? ["input", "values"] : slotsOf(at - 1, count, aside);
    return bound(kernel, [
      [bindingOf.input, keysIn],
      [bindingOf.output, keysOut],
      [sortBindingOf.values, valuesIn],
      [sortBindingOf.reordered, valuesTo],
      [bindingOf.spine, { scratch: spine }],
      [bindingOf.length, "length"],
    ]);
  };
  /** The copies of results that went aside. */
  const copies = (length: number): Pass[] =>
    [copyKeys, copyValues].flatMap((kernel, at) =>
      kernel === undefined
        ? []
        : [
            {
              kernel,
              slots: bound(kernel, [
                [bindingOf.input, { scratch: at === 0 ? keys : values }],
                [bindingOf.output, at === 0 ? "output" : valuesOut],
                [bindingOf.length, "length"],
              ]),
              length,
              tiles: Math.ceil(length / (copySizes.workGroupSize * copySizes.items)),
            },
          ],
    );
  const common = {
    title,
    maxLength,
    vector: 1,
    needs,
    itemBytes: {
      ...itemBytesOf(type.bytes, storesKeys ? type.bytes : 4),
      values: valueBytes,
      reordered: valueBytes,
    },
    baseNames,
    sizes: { workGroupSize: sizes.workGroupSize, itemsPerThread: sizes.items },
    indirectWords: 0,
    outputLength: (length: number) => length,
    variants: [
      { arrangement: "items" as const },
      ...(takesCopies ? [{ arrangement: "one-buffer" as const, aside: true }] : []),
    ],
    groupingOf: ungrouped(title),
  };
  return {
    storesKeys,
    common,
    kernels: [copyKeys, copyValues],
    scratch: [scratchKeyBytes, scratchValueBytes, storesKeys ? 0 : scratchKeyBytes],
    spine,
    slotsFor,
    copies,
  };
}

/** Where a sort leaves keys and values. */
export type Layout = ReturnType<typeof layoutOf>;
