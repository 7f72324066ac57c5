import { u32 } from "../../../src/algebra/integers.ts";
import type { ElementType } from "../../../src/algebra/types.ts";
import { f64 } from "../../../src/algebra/types_64.ts";
import { DeviceLostError } from "../../../src/errors.ts";
import type { Fold } from "../../../src/gpu/fold.ts";
import { runOnDevice } from "../../../src/gpu/tuning/litmus.ts";
import { span } from "../../support/operators.ts";
import type { Bench, Case, Host } from "../case.ts";
import { expectError } from "./errors.ts";
import { checkAtHand } from "./results.ts";

async function adapterOf(host: Host, options?: GPURequestAdapterOptions): Promise<GPUAdapter> {
  const adapter = await host.requestAdapter(options);
  if (adapter === null) {
    throw new Error("the host gave no second adapter");
  }
  return adapter;
}

/** All three primitives with the default tuning, which must have found its way within the limits. */
async function checkAll(fold: Fold, types: readonly ElementType[]): Promise<void> {
  for (const type of types) {
    await checkAtHand(fold, type, 3000);
  }
}

/** What a device reported that nobody caught. */
async function withoutErrors(device: GPUDevice, work: () => Promise<void>): Promise<void> {
  const errors: string[] = [];
  device.addEventListener("uncapturederror", (event) => {
    errors.push((event as GPUUncapturedErrorEvent).error.message);
  });
  await work();
  await device.queue.onSubmittedWorkDone();
  if (errors.length > 0) {
    throw new Error(`the device reports: ${errors[0]}`);
  }
}

const THREADS = 128;

/**
 * The device as one with compatibility mode's 128 threads: its limits say so, and a shader with a
 * larger work-group is refused.
 */
function with128Threads(device: GPUDevice): GPUDevice {
  const lower: Record<string, number> = {
    maxComputeInvocationsPerWorkgroup: THREADS,
    maxComputeWorkgroupSizeX: THREADS,
  };
  const limits = new Proxy(device.limits, {
    get: (target, key) => lower[String(key)] ?? Reflect.get(target, key, target),
  });
  const createShaderModule = (descriptor: GPUShaderModuleDescriptor): GPUShaderModule => {
    const code = String(descriptor.code);
    const sizes = [...code.matchAll(/@workgroup_size\(([^)]*)\)/g)].map(([, size = ""]) => {
      const text = size.replace(/^\s*([A-Z_]\w*)\s*$/, (name) => constantOf(code, name.trim()));
      const counts = text.split(",").map((part) => Number.parseInt(part, 10));
      return counts.reduce((product, one) => product * one, 1);
    });
    if (sizes.length === 0 || !sizes.every((size) => size >= 1 && size <= THREADS)) {
      throw new Error(
        `work-groups of ${sizes.join(" and ") || "unknown size"}, over the limit of ${THREADS}`,
      );
    }
    return device.createShaderModule(descriptor);
  };
  return new Proxy(device, {
    get(target, key) {
      if (key === "limits") {
        return limits;
      }
      if (key === "createShaderModule") {
        return createShaderModule;
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const constantOf = (code: string, name: string): string =>
  new RegExp(`const\\s+${name}\\s*(?::\\s*u32\\s*)?=\\s*(\\d+)`).exec(code)?.[1] ?? "NaN";

async function checkDefaultDevice(host: Host, types: readonly ElementType[]): Promise<void> {
  const device = await (await adapterOf(host)).requestDevice();
  const { maxComputeInvocationsPerWorkgroup: threads } = device.limits;
  if (threads !== 256 || device.features.has("subgroups") || device.features.has("shader-f16")) {
    throw new Error(`it has ${threads} threads and ${[...device.features].join(", ")}`);
  }
  const fold = await host.open({ device });
  await withoutErrors(device, () => checkAll(fold, types));
  device.destroy();
}

async function checkFewThreads(host: Host, types: readonly ElementType[]): Promise<void> {
  const device = await (await adapterOf(host)).requestDevice();
  const fold = await host.open({ device: with128Threads(device) });
  await withoutErrors(device, () => checkAll(fold, types));
  device.destroy();
}

export const deviceCases: readonly Case[] = [
  {
    name: "a device with the default limits and no feature",
    run: ({ host }: Bench) => checkDefaultDevice(host, [u32]),
  },
  {
    name: "64-bit elements on a device with the default limits and no feature",
    ofCompiler: true,
    run: ({ host }: Bench) => checkDefaultDevice(host, [f64]),
  },
  {
    name: "a device of the feature level compatibility",
    async run({ host, skip }: Bench) {
      const adapter = await adapterOf(host, { featureLevel: "compatibility" });
      const device = await adapter.requestDevice();
      const { maxComputeInvocationsPerWorkgroup: threads } = device.limits;
      if (threads !== THREADS) {
        device.destroy();
        skip(true, `the host's compatibility mode has ${threads} threads: it is the same as core`);
      }
      const fold = await host.open({ device });
      await withoutErrors(device, () => checkAll(fold, [u32]));
      device.destroy();
    },
  },
  {
    name: "a device whose limits say 128 threads",
    ofCompiler: true,
    run: ({ host }: Bench) => checkFewThreads(host, [u32]),
  },
  {
    name: "structs on a device whose limits say 128 threads",
    ofCompiler: true,
    run: ({ host }: Bench) => checkFewThreads(host, [span]),
  },
  {
    name: "a device that is destroyed mid-run rejects what is pending; a new one works",
    quick: "in a worker",
    async run({ host }: Bench) {
      const lost = await host.open();
      // Short enough to be uploaded without a submission of its own.
      const data = Uint32Array.from({ length: 10_000 }, (_, index) => index);
      // Compiled before, so that the run below is not lost while it still compiles.
      await lost.scan(data);
      const { device } = lost;
      const { queue } = device;
      const submit = queue.submit.bind(queue);
      let submitted = 0;
      queue.submit = (buffers) => {
        submit(buffers);
        submitted++;
        device.destroy();
        return undefined;
      };
      await expectError(lost.scan(data), DeviceLostError, "was destroyed");
      if (submitted !== 1) {
        throw new Error(`submitted ${submitted} times before it was lost`);
      }
      await expectError(lost.reduce(data), DeviceLostError, "open a new one");
      await expectError(lost.prepareScan({ type: u32, maxLength: 10 }), DeviceLostError, "open a new one");
      lost.destroy();
      const next = await host.open();
      await checkAtHand(next, u32, 1000);
      next.destroy();
    },
  },
  {
    name: "a device is tested for single passes first, and then does as it was found to",
    async run({ host }: Bench) {
      // Its limit of 20 s is five times as long here, since others may keep the processors busy.
      const { setTimeout } = globalThis;
      const later = (action: () => void, limit = 0) =>
        setTimeout(action, limit === 20_000 ? 5 * limit : limit);
      globalThis.setTimeout = later as typeof setTimeout;
      const opened = host.open({ testSinglePass: true });
      const fold = await opened.finally(() => {
        globalThis.setTimeout = setTimeout;
      });
      const verdict = fold.singlePassTest;
      if (!verdict?.passed) {
        throw new Error(`a single pass does not work here: ${verdict?.detail}`);
      }
      for (const tuned of [{}, { passes: "single" } as const]) {
        await checkAtHand(fold, u32, 1000, ["exclusive"], { workGroupSize: 8, itemsPerThread: 4, ...tuned });
      }
      fold.destroy();
    },
  },
  {
    name: "litmus tests run, and see nothing that WebGPU forbids",
    ofCompiler: true,
    async run({ host }: Bench) {
      const fold = await host.open();
      // Their limit is five times as long here, since others may keep the processors busy.
      const results = await runOnDevice(fold.device, { milliseconds: 100_000 });
      const wrong = results.filter(
        ({ instances, forbidden, error }) => forbidden > 0 || error !== null || instances === 0,
      );
      if (wrong.length > 0 || results.length === 0) {
        throw new Error(JSON.stringify(wrong));
      }
      fold.destroy();
    },
  },
];
