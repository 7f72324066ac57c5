import { expect, test } from "vitest";
import { contextOf } from "../../src/gpu/device/device.ts";
import { openFold } from "../../src/node.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { sortReference } from "../../src/reference/sort.ts";
import { useFold } from "../support/fold.ts";

// Adapters whose subgroups are smaller than they report. Subgroups of the software adapter have 4 lanes.

const own = useFold();

/** The device, as one of an adapter that says this of itself. */
function deviceThatReports(info: Partial<GPUAdapterInfo>): GPUDevice {
  return new Proxy(own().device, {
    get(device, name) {
      if (name === "adapterInfo") {
        return { isFallbackAdapter: false, ...info };
      }
      const value: unknown = Reflect.get(device, name, device);
      return typeof value === "function" ? value.bind(device) : value;
    },
  });
}

const lying = [
  ["intel", 16, 32],
  ["apple", 32, 32],
  ["", 64, 64],
] as const;
test.for(lying)(
  "%s reports %i to %i, and results are right",
  async ([vendor, subgroupMinSize, subgroupMaxSize], { skip }) => {
    const device = deviceThatReports({ vendor, subgroupMinSize, subgroupMaxSize });
    skip(!device.features.has("subgroups"), "the adapter has no subgroups");
    const fold = await openFold({ device });
    const data = Uint32Array.from({ length: 1003 }, (_, at) => Math.imul(at + 1, 2654435761) >>> 0);
    const sizes = { algorithm: "subgroup", workGroupSize: 128, itemsPerThread: 2 } as const;
    for (const passes of ["single", "reduce-then-scan"] as const) {
      expect(await fold.scan(data, { ...sizes, passes })).toEqual(scanReference(data));
      const where = "x % 3u == 1u";
      expect(await fold.compact(data, { ...sizes, passes, where })).toEqual(
        compactReference(data, (x) => x % 3 === 1),
      );
      expect(await fold.sort(data, { ...sizes, passes })).toEqual(sortReference(data));
    }
    expect(await fold.reduce(data, sizes)).toBe(reduceReference(data));
    expect(contextOf(device).facts).toMatchObject({ subgroupMinSize: 4, subgroupMaxSize: 128 });
  },
);

test.each([
  ["nvidia", 32, 32],
  ["amd", 32, 64],
])("%s is believed", (vendor, subgroupMinSize, subgroupMaxSize) => {
  const device = deviceThatReports({ vendor, subgroupMinSize, subgroupMaxSize });
  expect(contextOf(device).facts).toMatchObject({ subgroupMinSize, subgroupMaxSize });
});

test("a device that says nothing of itself is as its adapter says", async () => {
  const { device } = own();
  const info = { vendor: "nvidia", subgroupMinSize: 32, subgroupMaxSize: 32 } as GPUAdapterInfo;
  /** As Safari 26.0's. */
  const silent = (): GPUDevice => {
    const shown = deviceThatReports({});
    const names: Record<string | symbol, unknown> = { adapterInfo: undefined };
    return new Proxy(shown, {
      get: (target, name) => (name in names ? names[name] : Reflect.get(target, name, target)),
      set: (_, name, value) => {
        names[name] = value;
        return true;
      },
    });
  };
  const { features, limits } = device;
  const adapter = { features, limits, info, requestDevice: async () => silent() };
  const fold = await openFold({ adapter: adapter as never });
  expect(fold.adapterInfo).toBe(info);
  expect(contextOf(fold.device).facts).toMatchObject({ vendor: "nvidia", subgroupMinSize: 32 });
  // A device of the caller's may be any.
  const unknown = await openFold({ device: silent() });
  expect(unknown.software).toBe(false);
  expect(contextOf(unknown.device).facts).toMatchObject({
    vendor: "",
    subgroupMinSize: 4,
    subgroupMaxSize: 128,
  });
});
