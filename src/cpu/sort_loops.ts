import { requireKeys } from "../plan/sort_key.ts";
import type { CpuArray, CpuCall, Numbers, OnCpu } from "./call.ts";
import { elementsAt } from "./elements_at.ts";
import { numbersOver, wordsOf } from "./numbers.ts";
import { rowStarts } from "./segments.ts";
import { keysOf, numbersOf, sortedNumbers64 } from "./sort_keys.ts";
import type { Order } from "./sort_order.ts";
import {
  orderOf,
  positionsByKeys,
  positionsIn,
  sortKeys,
  sortWithWords,
  startsWithGaps,
} from "./sort_order.ts";

/** The elements in an order, and values in the order of their elements. */
export const sort: OnCpu = async (call) => {
  if (isBySeveral(call)) {
    const positions = positionsBySeveral(call);
    return call.request.results.map(({ like }) =>
      elementsAt(call.arrays[like as string] as CpuArray, positions, call.request.title),
    );
  }
  const order = await orderOf(call, isDescending(call));
  return order && sortBy(order, call);
};

/** The positions of the elements in an order. */
export const argSort: OnCpu = async (call) => {
  if (isBySeveral(call)) {
    return [positionsBySeveral(call)];
  }
  const order = await orderOf(call, isDescending(call));
  return order && [positionsIn(order, startsOf(call))];
};

const isBySeveral = ({ arrays }: CpuCall): boolean => "thenBy[0]" in arrays;

/** The positions of elements in the order of several keys. */
function positionsBySeveral(call: CpuCall): Uint32Array {
  const { options, title } = call.request;
  const arrays = Object.entries(call.arrays).flatMap(([name, array]) =>
    name === "data" || name.startsWith("thenBy") ? [array] : [],
  );
  const types = arrays.map(({ type }) => type);
  const keys = requireKeys(options, types, title).map((key, at) => ({
    ...key,
    array: arrays[at] as CpuArray,
  }));
  return positionsByKeys(keys, startsOf(call), title);
}

const isDescending = ({ request }: CpuCall): boolean =>
  (request.options as { readonly descending?: boolean }).descending === true;

/** Up to so many 64-bit numbers are sorted by the engine. */
const BY_ENGINE = 3000;

/** The elements and their values in order. */
function sortBy(order: Order, call: CpuCall): readonly Numbers[] {
  const { arrays, request } = call;
  const data = arrays.data as CpuArray;
  const starts = startsOf(call);
  const values = request.results.slice(1).map(({ like }) => arrays[like as string] as CpuArray);
  const sorted = order.keyed === data ? sortedKeys(order, starts, values) : undefined;
  if (sorted) {
    return sorted;
  }
  const positions = positionsIn(order, starts);
  return [data, ...values].map((array) => elementsAt(array, positions, request.title));
}

/** Sorts the keys themselves, and makes numbers of them. Undefined if there is NaN, or if there are values that do not move with keys. */
function sortedKeys(
  order: Order,
  starts: Uint32Array,
  values: readonly CpuArray[],
): readonly Numbers[] | undefined {
  const { keyed, type, rule } = order;
  const [value] = values;
  const isLong = type.bytes === 8;
  if (isLong && !value && keyed.length <= BY_ENGINE && starts.length === 2 && order.isWhole) {
    const sorted = sortedNumbers64(keyed, rule);
    return sorted && [sorted];
  }
  if (value && (isLong || values.length > 1 || value.type.bytes !== 4)) {
    return undefined;
  }
  const keys = keysOf(keyed, rule);
  if (keys.hasNan) {
    return undefined;
  }
  if (value === undefined) {
    return [numbersOf(sortKeys(keys, order, starts), rule, type)];
  }
  const sorted = sortWithWords({ ...keys, isShared: true }, wordsOf(value.numbers), order, starts);
  return [
    numbersOf({ high: sorted.keys, low: undefined }, rule, type),
    numbersOver(sorted.words, value.type),
  ];
}

/** Where each segment starts, and where the last one ends. All elements are one if there are no segments. */
function startsOf({ arrays, request }: CpuCall): Uint32Array {
  const { length } = arrays.data as CpuArray;
  const { words, numbers } = request;
  const rows = numbers?.rows;
  const { offsets, begins, ends } = words ?? {};
  if (begins && ends) {
    return startsWithGaps(begins, ends, length);
  }
  return offsets ?? (rows === undefined ? Uint32Array.of(0, length) : rowStarts(length, rows));
}
