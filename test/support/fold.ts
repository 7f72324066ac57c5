import process from "node:process";
import { afterAll, afterEach, beforeAll, beforeEach, expect, TestRunner } from "vitest";
import { AdapterError } from "../../src/errors.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { SimulatedGpu, SimulatorOptions } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { adapter, isSimulated, swiftShaderMissing } from "./adapter.ts";
import { machineOf } from "./machine.ts";
import { takeSample } from "./sample.ts";

export { algorithmNames, untyped } from "./untyped.ts";
export { adapter };

/**
 * One fold for a file: opened before its tests, destroyed after them. It is on the simulator, on a machine by the file and the seed, and a
 * test in which the simulator finds a fault fails; `fixed` are options that the machine must have. With `WAVEFOLD_TEST_ADAPTER` it is on the
 * adapter of that name.
 */
export function useFold(fixed: SimulatorOptions = {}): () => Fold {
  if (isSimulated) {
    return useSimulatedFold({ ...machineOf(TestRunner.getCurrentSuite()?.file?.name ?? ""), ...fixed });
  }
  takeSample();
  return useSoftwareFold();
}

/**
 * As {@link useFold}, on a machine that reports the one size that its subgroups have. Where a range is reported, no plan knows the size that a
 * kernel runs with, so `groupingOf` cannot tell the order within subgroups.
 */
export function useFoldOfOneSize(): () => Fold {
  const { subgroupSize = 32 } = machineOf(TestRunner.getCurrentSuite()?.file?.name ?? "");
  return useFold({ subgroupMinSize: subgroupSize, subgroupMaxSize: subgroupSize });
}

/** `WAVEFOLD_TEST_CPU=always` runs calls at hand on the CPU. */
const cpu = process.env.WAVEFOLD_TEST_CPU === "always" ? "always" : "never";

let areFindingsAllowed = false;

/** Lets this test pass although the simulator finds faults, since the test has put them in. */
export function allowFindings(): void {
  areFindingsAllowed = true;
}

function useSimulatedFold(machine: SimulatorOptions): () => Fold {
  let fold: Fold | undefined;
  const nextAdapter = useSimulatedGpu(machine);
  beforeAll(async () => {
    fold = await openFold({ adapter: await nextAdapter(), cpu });
  });
  afterAll(() => fold?.destroy());
  return () => opened(fold);
}

/** A simulated GPU, of which every request gets an adapter. A test fails on what was found meanwhile. */
function useSimulatedGpu(machine: SimulatorOptions): () => Promise<GPUAdapter> {
  let gpu: SimulatedGpu | undefined;
  let seen = 0;
  beforeAll(() => {
    gpu = simulatedGpu(machine);
  });
  beforeEach(() => {
    areFindingsAllowed = false;
    seen = gpu?.findings.length ?? 0;
  });
  afterEach(() => {
    const found = (areFindingsAllowed ? [] : (gpu?.findings ?? []))
      .slice(seen)
      .map(({ kind, file, message }) => `${kind} in ${file}: ${message}`);
    expect(found, `on the machine ${JSON.stringify(machine)}`).toEqual([]);
  });
  return async () => (await gpu?.requestAdapter()) as GPUAdapter;
}

/** For tests that open folds themselves: an adapter for each, on a machine such as {@link useFold} has. */
export function useAdapters(fixed: SimulatorOptions = {}): () => Promise<GPUAdapter | typeof adapter> {
  const file = TestRunner.getCurrentSuite()?.file?.name ?? "";
  return isSimulated ? useSimulatedGpu({ ...machineOf(file), ...fixed }) : async () => adapter;
}

function opened(fold: Fold | undefined): Fold {
  if (fold === undefined) {
    throw new Error("the fold is opened in beforeAll");
  }
  return fold;
}

/**
 * One fold on the software adapter for a file: opened before its tests, destroyed after them. Where SwiftShader is not built
 * and there is no other adapter, the tests are skipped.
 */
export function useSoftwareFold(): () => Fold {
  let fold: Fold | undefined;
  let missing: string | undefined;
  beforeAll(async () => {
    try {
      fold = await openFold({ adapter });
    } catch (cause) {
      if (swiftShaderMissing === undefined || !(cause instanceof AdapterError)) {
        throw cause;
      }
      missing = cause.message;
    }
  });
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  afterAll(() => fold?.destroy());
  return () => opened(fold);
}

/** Plans as on a GPU: a software adapter has sizes of its own, and loops stay loops there. */
export async function asOnGpus<T>({ device }: Fold, prepare: () => Promise<T>): Promise<T> {
  const restore = planAs({ device }, { software: false });
  try {
    return await prepare();
  } finally {
    restore();
  }
}

/** Has a device taken for another in what is planned from now on. It returns what takes that back. */
export function planAs({ device }: Pick<Fold, "device">, facts: Partial<DeviceFacts>): () => void {
  const context = contextOf(device);
  const { facts: own } = context;
  context.facts = { ...own, ...facts };
  return () => {
    context.facts = own;
  };
}
