import { WavefoldError } from "../../errors.ts";
import { SimulatedDevice } from "../device/device.ts";
import type { SimulatedGpuObject } from "../device/gpu.ts";
import type { Difference } from "./mirror.ts";
import { Mirror } from "./mirror.ts";

const NAME = "simulatedGpu with a validator";

/**
 * Has the devices of a simulated GPU make each of their calls on devices of another GPU, too. A call that only one of both takes is a finding.
 * Adapters have what both have.
 */
export function validateWith(gpu: SimulatedGpuObject, validator: GPU): void {
  gpu.requestAdapter = async (options) => {
    const other = await validator.requestAdapter();
    if (other === null) {
      throw new WavefoldError(`${NAME}: that GPU has no adapter`);
    }
    const adapter = await gpu.adapterWithin(other, options);
    if (adapter !== null) {
      validateDevices(adapter, other);
    }
    return adapter;
  };
}

function validateDevices(adapter: GPUAdapter, other: GPUAdapter): void {
  const request = adapter.requestDevice.bind(adapter);
  adapter.requestDevice = async (descriptor) => {
    const device = await request(descriptor);
    const second = await other.requestDevice(descriptor);
    requireEqualLimits(device.limits, second.limits);
    if (device instanceof SimulatedDevice) {
      const { core } = device.queue;
      const onDifference = (difference: Difference): void =>
        core.machine.add({
          kind: "validation",
          file: difference.label,
          line: 0,
          column: 0,
          entryPoint: "",
          threads: [],
          message: messageOf(difference),
        });
      new Mirror({ device, core, second, onDifference });
    }
    return device;
  };
}

/** A limit that only one of the devices has would be told at each call that it concerns. The simulator has no immediate data at all. */
function requireEqualLimits(limits: GPUSupportedLimits, others: GPUSupportedLimits): void {
  const names = Object.keys(limits) as (keyof GPUSupportedLimits)[];
  for (const name of names.filter((one) => `${one}` !== "maxImmediateSize")) {
    if (others[name] !== undefined && limits[name] !== others[name]) {
      throw new WavefoldError(
        `${NAME}: ${name} is ${limits[name]} on the simulated device and ${others[name]} on the other; limits that differ from WebGPU's defaults must be required of both, or of none`,
      );
    }
  }
}

function messageOf({ name, simulated, second }: Difference): string {
  return simulated === undefined
    ? `${name}: the simulator takes this call, and the validator refuses it: ${second}`
    : `${name}: the validator takes this call, and the simulator refuses it: ${simulated}`;
}
