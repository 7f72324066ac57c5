import { expect, test } from "vitest";
import { add } from "../../src/algebra/operators.ts";
import { useFold } from "../support/fold.ts";

const fold = useFold();

/** A view of memory that threads share, in the middle of it. */
const shared = (...values: number[]): Uint32Array<SharedArrayBuffer> => {
  const view = new Uint32Array(new SharedArrayBuffer(4 * values.length + 16), 8, values.length);
  view.set(values);
  return view;
};

const plain = (result: ArrayLike<number>): number[] => Array.from(result);

test("memory that threads share is copied, wherever an array is taken: scans, reductions, compactions and streams", async () => {
  const data = shared(3, 1, 7, 1);
  const one = fold();
  expect(plain(await one.scan(data))).toEqual([3, 4, 11, 12]);
  expect(await one.reduce(data)).toBe(12);
  expect(plain(await one.compact(data, { where: "x > 1u" }))).toEqual([3, 7]);
  expect(plain(await one.compact(data, { flags: shared(0, 1, 0, 1) }))).toEqual([1, 1]);
  expect(plain((await one.partition(data, { where: "x > 1u" })).values)).toEqual([3, 7, 1, 1]);
  expect(plain(await one.reduce(data, { segments: { rows: 2 } }))).toEqual([4, 8]);
  expect(plain(await one.scan(data, { segments: { offsets: shared(0, 1, 4) } }))).toEqual([3, 1, 8, 9]);
  const into = shared(0, 0, 0, 0);
  expect(await one.scan(data, { into, op: add })).toBe(into);
  expect(plain(into)).toEqual([3, 4, 11, 12]);
  const uploaded = await one.upload(data);
  expect(plain(await uploaded.read())).toEqual([3, 1, 7, 1]);
  expect(plain(await uploaded.read({ into }))).toEqual([3, 1, 7, 1]);
  uploaded.destroy();
  async function* chunks() {
    yield shared(1, 2);
    yield shared(3);
  }
  const { u32 } = await import("../../src/algebra/integers.ts");
  expect(await one.reduceStream(chunks(), { type: u32 })).toBe(6);
});

test("memory that threads share is copied, wherever an array is taken: runs, histograms, searches and sorts", async () => {
  const data = shared(3, 1, 7, 1);
  const weights = shared(1, 2, 3, 4);
  const one = fold();
  expect(plain(await one.unique(shared(1, 1, 2)))).toEqual([1, 2]);
  expect(plain(await one.histogram(data, { bins: 2, range: [0, 8], weights }))).toEqual([7, 3]);
  expect(plain(await one.searchSorted(shared(1, 3, 5), data))).toEqual([1, 0, 3, 0]);
  expect(await one.argMax(data)).toEqual({ value: 7, index: 2 });
  expect(plain(await one.sort(data))).toEqual([1, 1, 3, 7]);
  const { keys, values } = await one.sort(data, { values: weights });
  expect([plain(keys), plain(values)]).toEqual([
    [1, 1, 3, 7],
    [2, 4, 1, 3],
  ]);
});
