import { spawnSync } from "node:child_process";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { SourceError } from "../../src/errors.ts";
import type { Fold } from "../../src/node.ts";
import { openFold, u32 } from "../../src/node.ts";
import type { SimulatorOptions } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";

async function withFold<T>(options: SimulatorOptions, work: (fold: Fold) => Promise<T>): Promise<T> {
  const gpu = simulatedGpu({
    onFinding: ({ message }) => {
      throw new Error(message);
    },
    ...options,
  });
  const adapter = await gpu.requestAdapter();
  if (adapter === null) {
    throw new Error("the simulator has an adapter");
  }
  const fold = await openFold({ adapter });
  try {
    return await work(fold);
  } finally {
    fold.destroy();
  }
}

test('adapter: "simulated" opens the simulator, without a package', async () => {
  const fold = await openFold({ adapter: "simulated" });
  expect([fold.software, fold.adapterInfo.architecture]).toEqual([true, "simulator"]);
  expect([...(await fold.scan(Uint32Array.of(3, 1, 7)))]).toEqual([3, 4, 11]);
  fold.destroy();
  await expect(fold.scan(Uint32Array.of(1))).rejects.toThrow("the device was destroyed");
});

test("two entries of the package load the simulator", () => {
  const source = `
import { simulatedGpu } from ${JSON.stringify(pathToFileURL("dist/simulator.js").href)};
import { openFold } from ${JSON.stringify(pathToFileURL("dist/node.js").href)};
const fold = await openFold({ adapter: "simulated" });
console.log((await fold.scan(Uint32Array.of(3, 1, 7))).join(" "));
const adapter = await simulatedGpu({ subgroupSize: 4 }).requestAdapter();
const other = await openFold({ adapter });
console.log((await other.reduce(Uint32Array.of(3, 1, 7))), other.adapterInfo.subgroupMaxSize);
// Nothing of it keeps the process alive.
`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", source], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect({ status, stdout }, stderr).toEqual({ status: 0, stdout: "3 4 11\n11 4\n" });
});

describe("calls have their results on the simulator", () => {
  const cases = {
    "with the defaults": {},
    "without subgroups and f16": { features: [] },
    "with the least limits": {
      limits: { maxComputeInvocationsPerWorkgroup: 256, maxComputeWorkgroupSizeX: 256 },
    },
    "with small subgroups and any order": { subgroupSize: 4, schedule: "random", lanes: "permuted", seed: 3 },
  } as const satisfies Record<string, SimulatorOptions>;
  const data = Uint32Array.from({ length: 700 }, (_, at) => (at * 2654435761) >>> 7);

  test.each(Object.entries(cases))("%s", async (_, options) => {
    await withFold(options, async (fold) => {
      let sum = 0;
      expect(await fold.scan(data)).toEqual(data.map((x) => (sum = (sum + x) >>> 0)));
      expect(await fold.reduce(data)).toBe(sum);
      expect(await fold.compact(data, { where: "x % 3u == 0u" })).toEqual(data.filter((x) => x % 3 === 0));
      expect(await fold.sort(data.subarray(0, 300))).toEqual(data.slice(0, 300).sort());
    });
  });
});

test("a caller's text with a fault is a SourceError at its line", async () => {
  await withFold({}, async (fold) => {
    const cause = await fold.compact(Uint32Array.of(1), { where: "x >" }).catch((error: unknown) => error);
    expect(cause).toBeInstanceOf(SourceError);
    expect((cause as SourceError).line).toBe(1);
    expect((cause as SourceError).message).toMatch(/^the predicate, line 1: (?!the simulator)/);
  });
});

test("recorded plans run where the caller submits them", async () => {
  await withFold({}, async (fold) => {
    const { device } = fold;
    const plan = await fold.prepareScan({ type: u32, maxLength: 1000 });
    const input = device.createBuffer({ size: 4000, usage: 0x8c, mappedAtCreation: true });
    new Uint32Array(input.getMappedRange()).fill(2);
    input.unmap();
    const output = device.createBuffer({ size: 4000, usage: 0x84 });
    const copy = device.createBuffer({ size: 4000, usage: 0x9 });
    const encoder = device.createCommandEncoder();
    plan.record(encoder, { input, output, length: 1000 });
    encoder.copyBufferToBuffer(output, copy);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(1);
    const result = new Uint32Array(copy.getMappedRange());
    expect(result).toEqual(Uint32Array.from({ length: 1000 }, (_, at) => 2 * at + 2));
    plan.destroy();
  });
});
