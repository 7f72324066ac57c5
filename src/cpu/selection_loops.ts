import type { CpuArray, OnCpu } from "./call.ts";
import { elementsAt } from "./elements_at.ts";
import type { Bounds } from "./segments.ts";
import { boundsOf, rowStarts } from "./segments.ts";
import { fewOfRows } from "./select_few.ts";
import { firstPositions, nthPosition, selectionKeys } from "./select_keys.ts";
import type { Order } from "./sort_order.ts";
import { orderOf, positionsIn, startsWithGaps } from "./sort_order.ts";

/** Up to so many first elements are put in their places one by one, or more of them if the square of their number is less than half of a row. */
const FEW = 32;
/** From so many elements on, selections take less time than sorts. */
const LONG = 1500;

/** The first elements in an order, and their positions. */
export const topK: OnCpu = async (call) => {
  const { options, numbers, words, title } = call.request;
  const { k, smallest } = options as { readonly k: unknown; readonly smallest?: boolean };
  const order = await orderOf(call, smallest !== true);
  if (order === undefined) {
    return undefined;
  }
  const data = call.arrays.data as CpuArray;
  const { offsets, begins = offsets, ends = offsets?.subarray(1), k: each } = words ?? {};
  const rows = numbers?.rows ?? Math.max(1, data.length);
  if (each) {
    const taken =
      begins && ends ? ofEachSegment(order, each, { begins, ends }) : ofEachRow(order, each, rows);
    return [elementsAt(data, taken.positions, title), taken.positions, taken.offsets];
  }
  const positions =
    begins && ends
      ? firstOfSegments(order, k as number, begins, ends)
      : firstOfRows(order, k as number, rows);
  return [elementsAt(data, positions, title), positions];
};

/** The element that so many others come before in an order, and its position. */
export const nth: OnCpu = async (call) => {
  const { options, title } = call.request;
  const { n, descending } = options as { readonly n: number; readonly descending?: boolean };
  const order = await orderOf(call, descending === true);
  if (order === undefined) {
    return undefined;
  }
  const data = call.arrays.data as CpuArray;
  const position =
    data.length < LONG
      ? (positionsIn(order, Uint32Array.of(0, data.length))[n] as number)
      : nthPosition(selectionKeys(order), 0, data.length, n);
  const positions = Uint32Array.of(position);
  return [elementsAt(data, positions, title), positions];
};

/** The position of a place without an element: no array has so many. */
const NO_POSITION = 0xffffffff;

/** The positions of the first elements of each segment, in order. Each has as many places. */
function firstOfSegments(order: Order, k: number, begins: Uint32Array, ends: Uint32Array): Uint32Array {
  const sorted = positionsIn(order, startsWithGaps(begins, ends, order.keyed.length));
  const positions = new Uint32Array(ends.length * k).fill(NO_POSITION);
  for (let segment = 0; segment < ends.length; segment++) {
    const [begin, end] = [begins[segment] as number, ends[segment] as number];
    positions.set(sorted.subarray(begin, Math.min(end, begin + k)), segment * k);
  }
  return positions;
}

/** Positions that are taken of segments, and where those of each segment start. */
interface TakenOfEach {
  readonly positions: Uint32Array;
  readonly offsets: Uint32Array;
}

/** Takes of each segment as many positions as it has a number for, from where its positions begin. */
function takeOfEach(sorted: Uint32Array, each: Uint32Array, { begins, ends }: Bounds): TakenOfEach {
  const offsets = new Uint32Array(each.length + 1);
  for (let segment = 0; segment < each.length; segment++) {
    const length = (ends[segment] as number) - (begins[segment] as number);
    offsets[segment + 1] = (offsets[segment] as number) + Math.min(each[segment] as number, length);
  }
  const positions = new Uint32Array(offsets[each.length] as number);
  for (let segment = 0; segment < each.length; segment++) {
    const begin = begins[segment] as number;
    const [from, to] = [offsets[segment] as number, offsets[segment + 1] as number];
    positions.set(sorted.subarray(begin, begin + to - from), from);
  }
  return { positions, offsets };
}

/** The positions of the first elements of each segment, in order, as many as it has a number for. */
const ofEachSegment = (order: Order, each: Uint32Array, bounds: Bounds): TakenOfEach =>
  takeOfEach(
    positionsIn(order, startsWithGaps(bounds.begins, bounds.ends, order.keyed.length)),
    each,
    bounds,
  );

/** The positions of the first elements of each row, in order, as many as it has a number for. */
function ofEachRow(order: Order, each: Uint32Array, rows: number): TakenOfEach {
  const most = Math.min(
    rows,
    each.reduce((greatest, one) => Math.max(greatest, one), 1),
  );
  const first = firstOfRows(order, most, rows);
  return takeOfEach(first, each, boundsOf({ kind: "rows", rows: most }, first.length));
}

/** The positions of the first elements of each row, in order. */
function firstOfRows(order: Order, k: number, rows: number): Uint32Array {
  const { length } = order.keyed;
  const taken = Math.min(k, rows);
  const isFew = order.isWhole && (taken <= FEW || 2 * taken * taken < rows);
  const few = isFew ? fewOfRows(order, taken, rows) : undefined;
  if (few) {
    return few;
  }
  if (2 * taken > rows || rows < LONG) {
    return firstOfSorted(order, taken, rows);
  }
  const positions = new Uint32Array((length / rows) * taken);
  const keys = selectionKeys(order);
  for (let at = 0; at < positions.length; at += taken) {
    const begin = (at / taken) * rows;
    firstPositions(keys, [begin, begin + rows], positions.subarray(at, at + taken));
  }
  return inOrder(order, positions, taken);
}

/** Sorts each row, and gives the first positions of each. */
function firstOfSorted(order: Order, taken: number, rows: number): Uint32Array {
  const { length } = order.keyed;
  const all = positionsIn(order, rowStarts(length, rows));
  const positions = new Uint32Array(Math.floor(length / rows) * taken);
  for (let at = 0; at < positions.length; at += taken) {
    const begin = (at / taken) * rows;
    positions.set(all.subarray(begin, begin + taken), at);
  }
  return positions;
}

/** Positions in the order of their elements. Each row of them is sorted on its own. */
function inOrder(order: Order, positions: Uint32Array, rows: number): Uint32Array {
  const { keyed } = order;
  const numbers = elementsAt(keyed, positions, "topK");
  const elements = { type: keyed.type, length: positions.length, numbers };
  const places = positionsIn({ ...order, keyed: elements }, rowStarts(positions.length, rows));
  return places.map((place) => positions[place] as number);
}
