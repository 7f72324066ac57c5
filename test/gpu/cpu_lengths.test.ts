import { afterEach, expect, test, vi } from "vitest";
import type { Context } from "../../src/gpu/device/context.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { Fold } from "../../src/gpu/fold.ts";
import { measureCpuLengths } from "../../src/gpu/tuning/cpu_lengths.ts";
import { openFold } from "../../src/node.ts";
import { adapterOf, tuningOf } from "../../src/plan/adapter_tuning.ts";
import { useAdapters } from "../support/fold.ts";

const nextAdapter = useAdapters();

afterEach(() => vi.restoreAllMocks());

/** Calls take this long from now on: on the CPU a millisecond for each element, and on the device as long as so many elements. */
function timed(
  lengthOnDevice: Readonly<
    Record<"scan" | "reduce" | "sort" | "argSort" | "histogram" | "searchSorted" | "compact", number>
  >,
  onCall: (fold: Fold) => void = () => {},
): void {
  let time = 0;
  vi.spyOn(performance, "now").mockImplementation(() => time);
  for (const [name, length] of Object.entries(lengthOnDevice)) {
    vi.spyOn(Fold.prototype, name as "scan").mockImplementation(async function (this: Fold, data: unknown) {
      onCall(this);
      time += Fold.contextOf(this).cpu ? (data as Uint32Array).length : length;
      return data as never;
    });
  }
}

const sameOf = (length: number) => ({
  scan: length,
  reduce: length,
  sort: length,
  argSort: length,
  histogram: length,
  searchSorted: length,
  compact: length,
});

test("the CPU gets what it takes less time for than the device", async () => {
  const fold = await openFold({ adapter: await nextAdapter() });
  timed({
    ...sameOf(2 ** 9),
    reduce: 700,
    sort: 1,
    histogram: 2 ** 11,
    searchSorted: 2 ** 10,
    compact: 1e6,
  });
  const never = (): boolean => false;
  expect(await measureCpuLengths(contextOf(fold.device), never, 12)).toEqual({
    scan: 2 ** 9,
    reduce: 2 ** 9,
    // The shortest calls that are timed have 2^8 elements.
    sort: 2 ** 7,
    argSort: 2 ** 9,
    segments: 2 ** 9,
    histogram: 2 ** 11,
    searchSorted: 2 ** 10,
    others: 2 ** 12,
  });
  fold.destroy();
});

test("kinds of calls that there is no time for are left out", async () => {
  const fold = await openFold({ adapter: await nextAdapter() });
  timed(sameOf(2 ** 9));
  const context = contextOf(fold.device);
  expect(await measureCpuLengths(context, () => true, 10)).toEqual({});
  const isOver = (): boolean => performance.now() > 30 * 2 ** 10;
  expect(Object.keys(await measureCpuLengths(context, isOver, 10))).toEqual(["scan", "reduce"]);
  fold.destroy();
});

test("the calls run, on both machines", async () => {
  const fold = await openFold({ adapter: await nextAdapter() });
  const names = await measureCpuLengths(contextOf(fold.device), () => false, 8);
  expect(Object.keys(names)).toEqual([
    "scan",
    "reduce",
    "sort",
    "argSort",
    "segments",
    "histogram",
    "searchSorted",
    "others",
  ]);
  expect(contextOf(fold.device).cpu).toBeUndefined();
  fold.destroy();
});

test("calls on either machine share what the device has, and change it", async () => {
  const fold = await openFold({ adapter: await nextAdapter() });
  const seen = new Set<Context>();
  timed(sameOf(2 ** 9), (one) => seen.add(Fold.contextOf(one)));
  const context = contextOf(fold.device);
  await measureCpuLengths(context, () => false, 8);
  expect([...seen].map(({ cpu }) => cpu)).toEqual([{}, undefined]);
  for (const [at, one] of [...seen].entries()) {
    one.mostPipelines = at + 1;
    expect(context.mostPipelines).toBe(at + 1);
  }
  fold.destroy();
});

test("a fold with a tuning takes the lengths that it has", async () => {
  const adapter = await nextAdapter();
  const info = adapterOf((adapter as GPUAdapter).info);
  const tuning = tuningOf(info, undefined, [], { scan: 256 });
  const fold = await openFold({ adapter, cpu: "auto", tuning });
  expect(fold.explain("scan", 256).machine).toBe("cpu");
  expect(fold.explain("scan", 257)).toEqual({
    machine: "gpu",
    why: "Up to 256 elements, the CPU is faster than the way to the GPU and back.",
  });
  expect(fold.explain("reduce", 257).machine).toBe("cpu");
  fold.destroy();
  const always = await openFold({ adapter: await nextAdapter(), cpu: "always", tuning });
  expect(always.explain("scan", 257).machine).toBe("cpu");
  always.destroy();
});
