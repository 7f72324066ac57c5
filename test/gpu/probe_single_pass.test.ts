import { afterEach, expect, test, vi } from "vitest";
import { DeviceLostError } from "../../src/errors.ts";
import type { Context } from "../../src/gpu/device/context.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Planted } from "../../src/gpu/tuning/probe_single_pass.ts";
import { testSinglePass } from "../../src/gpu/tuning/probe_single_pass.ts";
import type { Fold } from "../../src/node.ts";
import { openFold, u32 } from "../../src/node.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectSameBits } from "../support/compare.ts";
import { useAdapters } from "../support/fold.ts";
import { anyItems } from "../support/random.ts";

const nextAdapter = useAdapters({ subgroupSize: 4, subgroupMinSize: 4, subgroupMaxSize: 4 });
const folds: Fold[] = [];
afterEach(() => {
  for (const fold of folds.splice(0)) {
    fold.destroy();
  }
});

/** Opened with the test. Its limit of 20 s is ten times as long here, since others may keep the processors busy. */
async function tested(): Promise<Fold> {
  const { setTimeout } = globalThis;
  const later = (action: () => void, limit = 0) => setTimeout(action, limit === 20_000 ? 10 * limit : limit);
  const clock = vi.spyOn(globalThis, "setTimeout").mockImplementation(later as never);
  try {
    const fold = await openFold({ adapter: await nextAdapter(), testSinglePass: true });
    folds.push(fold);
    return fold;
  } finally {
    expect(clock).toHaveBeenCalledWith(expect.anything(), 20_000);
    clock.mockRestore();
  }
}

/** Opened, then tested with a fault planted. */
async function testedWith(planted: Planted): Promise<Fold> {
  const fold = await openFold({ adapter: await nextAdapter() });
  folds.push(fold);
  // Others may keep the processors busy.
  await testSinglePass(contextOf(fold.device), { milliseconds: 300_000, ...planted });
  return fold;
}

/** Takes the device for a GPU of no vendor that was tried, or for one that was. */
function pretend({ device }: Fold, vendor: "" | "nvidia"): Context {
  const context = contextOf(device);
  context.facts = { ...context.facts, software: false, vendor };
  return context;
}

const passesOf = async (fold: Fold, type = u32): Promise<string> => {
  const scan = await fold.prepareScan({ type, maxLength: 1000, workGroupSize: 4, itemsPerThread: 4 });
  const buffer = (): GPUBuffer => fold.device.createBuffer({ size: 4000, usage: 0x80 });
  const { passes } = scan.groupingOf({ input: buffer(), output: buffer(), length: 1000 });
  scan.destroy();
  return passes;
};

const expectExactScan = async (fold: Fold, passes?: "single"): Promise<void> => {
  const data = anyItems("u32", 1000, "after the test") as Uint32Array;
  const tuning = { workGroupSize: 8, itemsPerThread: 4, ...(passes && { passes }) } as const;
  expectSameBits(await fold.scan(data, tuning), scanReference(data, {}), "scan");
};

/** A plan whose kernels' text is changed. */
const changing =
  (find: string | RegExp, replacement: string) =>
  (plan: Plan): Plan => {
    const of = <K extends { readonly code: string }>(kernel: K): K => {
      const code = kernel.code.replaceAll(find, replacement);
      expect(code).not.toBe(kernel.code);
      return { ...kernel, code };
    };
    return {
      ...plan,
      kernels: plan.kernels.map(of),
      passes: (...given) => plan.passes(...given).map((pass) => ({ ...pass, kernel: of(pass.kernel) })),
    };
  };

test("nobody asked: there is no verdict, and only adapters that are known to manage take a single pass", async () => {
  const fold = await openFold({ adapter: await nextAdapter() });
  folds.push(fold);
  expect(fold.singlePassTest).toBeUndefined();
  const { lookBack, vendor } = contextOf(fold.device).facts;
  expect(lookBack).toBe(vendor === "nvidia");
  pretend(fold, "");
  expect(await passesOf(fold)).toBe(lookBack ? "single" : "reduce-then-scan");
});

test("passed: an adapter that nobody vetted takes a single pass", async () => {
  const fold = await tested();
  console.log(`the test of the single pass: ${JSON.stringify(fold.singlePassTest)}`);
  expect(fold.singlePassTest).toMatchObject({
    passed: true,
    detail: expect.stringContaining("runs were right"),
  });
  pretend(fold, "");
  expect(await passesOf(fold)).toBe("single");
  await expectExactScan(fold);
});

const broken: [string, RegExp, string][] = [
  ["no tag is compared", /is_whole &= \(\(low >> 16u\) == run\) & \(\(high >> 16u\) == run\);/g, ""],
  [
    "a tag does not say which run it is of",
    /\(\(low >> 16u\) == run\) & \(\(high >> 16u\) == run\)/g,
    "low != 0u && high != 0u",
  ],
  [
    "prefixes are stored without what comes before the tile",
    /return look_back_carry;/g,
    "return identity();",
  ],
];
test.each(broken)("failed: %s", async (_, find, replacement) => {
  const fold = await testedWith({ alter: changing(find, replacement) });
  const verdict = fold.singlePassTest;
  console.log(verdict?.detail);
  expect(verdict?.passed).toBe(false);
  expect(verdict?.detail).toMatch(/^(scan<u32, affine>|compact<u32>), run \d+.*: .* instead of/);
  // One that is known to manage does not, then; what is asked for is done all the same.
  pretend(fold, "nvidia");
  expect(await passesOf(fold)).toBe("reduce-then-scan");
  await expectExactScan(fold);
  await expectExactScan(fold, "single");
});

test("failed: a kernel that does not compile, or takes too long", async () => {
  const broken = await testedWith({ alter: changing("let run = run_number();", "let run = run_number;") });
  expect(broken.singlePassTest).toMatchObject({ passed: false });
  const late = await testedWith({ milliseconds: 1 });
  expect(late.singlePassTest).toMatchObject({ passed: false, detail: "it took more than 0.001 s" });
  pretend(late, "nvidia");
  expect(await passesOf(late)).toBe("reduce-then-scan");
  await expectExactScan(late);
});

test("a device that is lost meanwhile is an error that says so", async () => {
  const fold = await openFold({ adapter: await nextAdapter() });
  folds.push(fold);
  // As the test submits its second run.
  const { queue } = fold.device;
  const { submit } = queue;
  let submits = 0;
  queue.submit = (commands) => {
    submit.call(queue, commands);
    submits++;
    if (submits === 2) {
      fold.device.destroy();
    }
  };
  const testing = openFold({ device: fold.device, testSinglePass: true });
  await expect(testing).rejects.toThrow(DeviceLostError);
  await expect(testing).rejects.toThrow(/the test of the single pass: the device was destroyed/);
  expect(submits).toBeGreaterThanOrEqual(2);
  const lost = openFold({ device: fold.device, testSinglePass: true });
  await expect(lost).rejects.toThrow(DeviceLostError);
});
