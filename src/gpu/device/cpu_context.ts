import { NoGpuError } from "../../errors.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { Context } from "./context.ts";
import { emptyContext } from "./empty_context.ts";

// The context of a fold that was opened without a GPU.

/** What plans depend on: as on the simulated device that takes the calls for which the CPU has no loops. */
const facts: DeviceFacts = {
  limits: {
    maxComputeInvocationsPerWorkgroup: 1024,
    maxComputeWorkgroupSizeX: 1024,
    maxComputeWorkgroupStorageSize: 32768,
    maxComputeWorkgroupsPerDimension: 65535,
    maxStorageBufferBindingSize: 2 ** 31 - 4,
    maxStorageBuffersPerShaderStage: 10,
    maxBufferSize: 2 ** 31,
    minStorageBufferOffsetAlignment: 256,
  },
  features: new Set(["shader-f16", "subgroups"]),
  subgroupMinSize: 32,
  subgroupMaxSize: 32,
  subgroupIds: true,
  software: true,
  vendor: "wavefold",
  lookBack: false,
};

/** Bytes of a piece. The simulated device takes tenths of a second for a mebibyte: shorter pieces show results sooner, in less memory. */
const PIECE_BYTES = 2 ** 20;

/** A context whose device `simulate` makes when a call first needs one. `noGpu` says why there is no GPU. */
export function cpuContext(
  noGpu: Error,
  simulate: (context: Context) => Promise<GPUDevice>,
): Context & { destroy(): void } {
  let device: GPUDevice | undefined;
  let opening: Promise<void> | undefined;
  const context: Context & { destroy(): void } = {
    get device(): GPUDevice {
      if (device === undefined) {
        throw noGpuError("fold.device", noGpu);
      }
      return device;
    },
    cpu: {
      noGpu,
      open(): Promise<void> {
        opening ??= simulate(context).then(
          (made) => {
            device = made;
            if (context.lost) {
              made.destroy();
            }
          },
          (cause: unknown) => {
            // What was not loaded may be there the next time.
            opening = undefined;
            throw cause;
          },
        );
        return opening;
      },
    },
    facts,
    ...emptyContext(PIECE_BYTES),
    destroy(): void {
      context.lost ??= { reason: "destroyed", message: "" } as GPUDeviceLostInfo;
      device?.destroy();
    },
  };
  return context;
}

/** The error for what needs a GPU. */
const noGpuError = (what: string, noGpu: Error): NoGpuError =>
  Object.assign(new NoGpuError(`${what} takes a GPU. ${noGpu.message}`), { cause: noGpu });

/** The context, for what computes on a GPU alone. @throws {NoGpuError} if there is none. */
export function onGpuAlone(context: Context, what: string): Context {
  const { noGpu } = context.cpu ?? {};
  if (noGpu) {
    throw noGpuError(what, noGpu);
  }
  return context;
}

/** The context, whose device is there. */
export async function withDevice(context: Context): Promise<Context> {
  await context.cpu?.open?.();
  return context;
}
