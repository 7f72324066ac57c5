import { expect, test } from "vitest";
import { run as bufferAllocation } from "../examples/in-kernel/cuda-buffer-allocation.ts";
import { run as streamCompaction } from "../examples/in-kernel/cuda-stream-compaction.ts";
import { run as tileScan } from "../examples/in-kernel/cuda-tile-scan.ts";
import { run as openclScan } from "../examples/in-kernel/opencl-scan.ts";
import { lifeOf, PARTICLES, run as particles } from "../examples/in-kernel/particles.ts";
import { useFold } from "./support/fold.ts";

const fold = useFold();

test("opencl-scan", async () => {
  const { inclusive, exclusive } = await openclScan(fold());
  expect([...inclusive]).toEqual([3, 4, 11, 11, 15, 16, 22, 25]);
  expect([...exclusive]).toEqual([0, 3, 4, 11, 11, 15, 16, 22]);
});

test("cuda-tile-scan", async () => {
  const { sums } = await tileScan(fold());
  expect([...sums]).toEqual(Array(8).fill([0, 1, 3, 6, 10, 15, 21, 28]).flat());
});

test("cuda-stream-compaction", async () => {
  const { kept } = await streamCompaction(fold());
  expect([...kept]).toEqual(Array.from({ length: 34 }, (_, index) => 3 * index));
});

test("cuda-buffer-allocation", async () => {
  const { buffer, used } = await bufferAllocation(fold());
  expect(used).toBe(96);
  expect([...buffer]).toEqual(Array(32).fill([0, 0, 1]).flat());
});

test("particles", async () => {
  const { living, moved } = await particles(fold());
  const expected = Array.from({ length: PARTICLES }, (_, id) => id).filter((id) => lifeOf(id) > 1);
  expect([...living].sort((a, b) => a - b)).toEqual(expected);
  // Each work-group's stand together and in order; which work-group came first is open.
  living.forEach((id, index) => {
    const next = living[index + 1] ?? Number.POSITIVE_INFINITY;
    expect(Math.floor(id / 64) !== Math.floor(next / 64) || id < next, `${id} before ${next}`).toBe(true);
    expect(moved[index]).toBe(id / 4);
  });
  const groups = [...living].map((id) => Math.floor(id / 64));
  const starts = groups.filter((group, index) => group !== groups[index - 1]);
  expect(starts.length).toBe(new Set(groups).size);
});
