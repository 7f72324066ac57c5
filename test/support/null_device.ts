import { afterAll, beforeAll } from "vitest";
import { create } from "webgpu";

/** Dawn collects a device's instance unless it is reachable. */
const instances = new Set<unknown>();

/** WebGPU with an adapter that compiles everything and runs nothing, for as long as the process lives. */
export function nullGpu(): GPU {
  const gpu = create(["backend=null"]);
  instances.add(gpu);
  return gpu;
}

/** A device that compiles everything and runs nothing. */
export function useNullDevice(): () => GPUDevice {
  let device: GPUDevice | undefined;
  let gpu: GPU | undefined;
  beforeAll(async () => {
    gpu = nullGpu();
    const adapter = await gpu.requestAdapter();
    if (adapter === null) {
      throw new Error("Dawn has no null adapter");
    }
    device = await adapter.requestDevice({
      requiredFeatures: ["subgroups", "shader-f16"],
      requiredLimits: {
        maxComputeInvocationsPerWorkgroup: adapter.limits.maxComputeInvocationsPerWorkgroup,
        maxComputeWorkgroupSizeX: adapter.limits.maxComputeWorkgroupSizeX,
        maxComputeWorkgroupStorageSize: adapter.limits.maxComputeWorkgroupStorageSize,
      },
    });
  });
  afterAll(() => {
    device?.destroy();
    instances.delete(gpu);
  });
  return () => {
    if (device === undefined) {
      throw new Error("the device is opened in beforeAll");
    }
    return device;
  };
}

/** The texts in which a device's compiler has found nothing wrong. It would not the next time. */
const rightTexts = new WeakMap<GPUDevice, Set<string>>();

/** What the compiler says against each text that it refuses. A text that it has taken before is not compiled again. */
export async function failures(
  device: GPUDevice,
  sources: readonly { readonly title: string; readonly code: string }[],
): Promise<string[]> {
  const right = rightTexts.get(device) ?? new Set();
  rightTexts.set(device, right);
  const others = sources.filter(({ code }) => !right.has(code));
  device.pushErrorScope("validation");
  const all = await Promise.all(
    others.map(async ({ title, code }) => {
      const info = await device.createShaderModule({ code }).getCompilationInfo();
      const lines = code.split("\n");
      return info.messages
        .filter((message) => message.type === "error")
        .map(
          (message) => `${title}: line ${message.lineNum}: ${message.message}: ${lines[message.lineNum - 1]}`,
        );
    }),
  );
  const failure = await device.popErrorScope();
  const found = all.flat();
  if (found.length === 0 && failure !== null) {
    return [failure.message];
  }
  if (found.length === 0) {
    others.forEach(({ code }) => {
      right.add(code);
    });
  }
  return found;
}
