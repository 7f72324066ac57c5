import type { ConditionOption } from "../plan/find.ts";
import type { CpuArray, CpuCall, OnCpu } from "./call.ts";

// What is asked about the elements for which a caller's condition holds.

/** How many elements are looked at together. A search ends with those among which it finds one. */
const TOGETHER = 4096;

/** Where a search is: what the condition gives for some elements, 0 or 1 for each, and the index of the first of them. */
type Visit = (flags: Uint32Array, first: number) => boolean;

/**
 * Computes the condition for some elements after others, from the first or from the last on, until one visit is the last. False if the CPU
 * has no code for the condition.
 */
async function visitElements(
  { arrays, request, mapped }: CpuCall,
  isLast: Visit,
  isFromEnd = false,
): Promise<boolean> {
  const { type, length, numbers } = arrays.data as CpuArray;
  const { where } = request.options as ConditionOption;
  const perElement = type.bytes / numbers.BYTES_PER_ELEMENT;
  let left = length;
  do {
    const count = Math.min(TOGETHER, left);
    const first = isFromEnd ? left - count : length - left;
    const some = numbers.subarray(first * perElement, (first + count) * perElement);
    const flags = await mapped(where, { type, length: count, numbers: some }, "condition", first);
    if (flags === undefined) {
      return false;
    }
    if (isLast(flags.numbers as Uint32Array, first)) {
      break;
    }
    left -= count;
  } while (left > 0);
  return true;
}

/** How many elements the condition holds for. */
export const count: OnCpu = async (call) => {
  let sum = 0;
  const isDone = await visitElements(call, (flags) => {
    for (let at = 0; at < flags.length; at++) {
      sum += flags[at] as number;
    }
    return false;
  });
  return isDone ? [Uint32Array.of(sum)] : undefined;
};

/** What is stored if there is no such element. */
const NONE = 0xffffffff;

/** The index of the first or the last element for which the condition gives a flag. */
async function indexOf(call: CpuCall, flag: 0 | 1, isFromEnd = false): Promise<number | undefined> {
  let index = NONE;
  const visit: Visit = (flags, first) => {
    const at = isFromEnd ? flags.lastIndexOf(flag) : flags.indexOf(flag);
    index = at < 0 ? NONE : first + at;
    return at >= 0;
  };
  return (await visitElements(call, visit, isFromEnd)) ? index : undefined;
}

/** A search for an element, whose answer follows from the index. */
const searching =
  (flag: 0 | 1, answerOf: (index: number) => number, isFromEnd?: boolean): OnCpu =>
  async (call) => {
    const index = await indexOf(call, flag, isFromEnd);
    return index === undefined ? undefined : [Uint32Array.of(answerOf(index))];
  };

/** Whether the condition holds for any element. */
export const any: OnCpu = /* @__PURE__ */ searching(1, (index) => Number(index !== NONE));

/** Whether it holds for all of them. */
export const all: OnCpu = /* @__PURE__ */ searching(0, (index) => Number(index === NONE));

/** The index of the first element that it holds for. */
export const findFirst: OnCpu = /* @__PURE__ */ searching(1, (index) => index);

/** The index of the last one. */
export const findLast: OnCpu = /* @__PURE__ */ searching(1, (index) => index, true);
