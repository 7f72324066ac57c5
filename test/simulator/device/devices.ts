import { afterAll, beforeAll, expect, test } from "vitest";
import { GPUBufferUsage } from "../../../src/gpu/device/usage_flags.ts";
import { SimulatedGpuObject } from "../../../src/simulator/device/gpu.ts";
import type { Finding } from "../../../src/simulator/findings.ts";
import type { SimulatorOptions } from "../../../src/simulator/options.ts";
import { validateWith } from "../../../src/simulator/validator/validated_gpu.ts";
import { nullGpu } from "../../support/null_device.ts";
import { readHandMade } from "./hand_made.ts";

/** A GPU that compiles the hand-made texts. */
export const handMadeGpu = (options: SimulatorOptions = {}): SimulatedGpuObject =>
  new SimulatedGpuObject(options, readHandMade);

export async function adapterOf(gpu: GPU): Promise<GPUAdapter> {
  const adapter = await gpu.requestAdapter();
  if (adapter === null) {
    throw new Error("there is no adapter");
  }
  return adapter;
}

export const openDevice = async (
  gpu: GPU,
  requiredFeatures: GPUFeatureName[] = ["timestamp-query"],
): Promise<GPUDevice> => (await adapterOf(gpu)).requestDevice({ requiredFeatures });

export const deviceOf = (
  options: SimulatorOptions = {},
  requiredFeatures?: GPUFeatureName[],
): Promise<GPUDevice> => openDevice(handMadeGpu(options), requiredFeatures);

export interface Both {
  simulated(): GPUDevice;
  dawn(): GPUDevice;
  /** A simulated device whose calls Dawn checks, too. */
  validated(): GPUDevice;
  /** What only one of these two takes. */
  readonly findings: readonly Finding[];
}

/** The simulator's device, one of Dawn's that compiles everything and runs nothing, and both together. */
export function useBoth(): Both {
  const gpu = handMadeGpu();
  let devices: Record<"simulated" | "dawn" | "validated", GPUDevice> | undefined;
  beforeAll(async () => {
    validateWith(gpu, nullGpu());
    devices = {
      simulated: await deviceOf(),
      dawn: await openDevice(nullGpu()),
      validated: await openDevice(gpu),
    };
  });
  afterAll(() => {
    for (const device of Object.values(devices ?? {})) {
      device.destroy();
    }
  });
  const get = (name: "simulated" | "dawn" | "validated"): GPUDevice => {
    if (devices === undefined) {
      throw new Error("devices are opened in beforeAll");
    }
    return devices[name];
  };
  return {
    simulated: () => get("simulated"),
    dawn: () => get("dawn"),
    validated: () => get("validated"),
    findings: gpu.findings,
  };
}

/** What comes of a call: "fine", or the names of what it throws and of what error scopes get. */
export async function outcomeOf(device: GPUDevice, call: (device: GPUDevice) => unknown): Promise<string> {
  device.pushErrorScope("out-of-memory");
  device.pushErrorScope("validation");
  const names: string[] = [];
  try {
    await call(device);
  } catch (cause) {
    names.push((cause as Error).name);
  }
  for (const error of [await device.popErrorScope(), await device.popErrorScope()]) {
    if (error !== null) {
      names.push(error.constructor.name);
    }
  }
  return names.join(", ") || "fine";
}

/** A call, what comes of it, and what comes of it in Dawn if that differs. Undefined: Dawn is not asked. */
export interface Row {
  readonly call: (device: GPUDevice) => unknown;
  readonly outcome: string;
  readonly dawn?: string | undefined;
  /** Whether only one of both takes one of the calls. That is so by default if what comes of it is fine in one of both alone. */
  readonly isFinding?: boolean;
}

const { STORAGE, COPY_SRC, COPY_DST, INDIRECT, UNIFORM } = GPUBufferUsage;

/** A buffer for nearly everything. */
export const bufferOf = (
  device: GPUDevice,
  size = 1024,
  usage: number = STORAGE | COPY_SRC | COPY_DST | INDIRECT | UNIFORM,
): GPUBuffer => device.createBuffer({ size, usage, label: "data" });

/** What a call makes, whose errors are dropped. */
export async function quietly<T>(device: GPUDevice, make: () => T): Promise<T> {
  device.pushErrorScope("validation");
  const made = make();
  await device.popErrorScope();
  return made;
}

/** A buffer of these usages that is invalid, since it is too large. */
export const invalidBuffer = (device: GPUDevice, usage: number): Promise<GPUBuffer> =>
  quietly(device, () => bufferOf(device, 2 ** 30, usage));

/** Compares what comes of a call with what should, on both devices; and only what differs between them is a finding. */
export async function check(both: Both, row: Row): Promise<void> {
  const { call, outcome } = row;
  expect(await outcomeOf(both.simulated(), call), "the simulator").toBe(outcome);
  const dawn = "dawn" in row ? row.dawn : outcome;
  if (dawn !== undefined) {
    expect(await outcomeOf(both.dawn(), call), "Dawn").toBe(dawn);
    const before = both.findings.length;
    expect(await outcomeOf(both.validated(), call), "with a validator").toBe(outcome);
    const { isFinding = (outcome === "fine") !== (dawn === "fine") } = row;
    const found = both.findings.slice(before).map(({ kind, message }) => `${kind}: ${message}`);
    expect(found, found.join("\n")).toHaveLength(isFinding ? 1 : 0);
  }
}

/** Calls by their titles, in groups by what comes of them here and in Dawn: "fine", or the names of errors. */
export type Calls = Readonly<Record<string, Readonly<Record<string, Row["call"]>>>>;

/** A test for each call, and for each row of what differs in Dawn. */
export function testCalls(both: Both, calls: Calls, rows: Readonly<Record<string, Row>> = {}): void {
  const same = Object.entries(calls).flatMap(([outcome, group]) =>
    Object.entries(group).map(([title, call]): [string, Row] => [title, { call, outcome }]),
  );
  test.each([...same, ...Object.entries(rows)])("%s", (_, row) => check(both, row));
}
