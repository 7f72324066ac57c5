import { LimitError, OutOfMemoryError, WavefoldError } from "../../errors.ts";
import type { Plan } from "../../plan/plan.ts";
import { withoutStack } from "./without_stack.ts";

/** The error for what a device refuses. */
export const refusedError = (title: string, { message }: GPUError): WavefoldError =>
  new WavefoldError(`${title}: the device refused it: ${withoutStack(message)}`);

/** The error for a buffer that the device has no room for. It says that `needed` bytes are needed. */
export const roomError = (
  title: string,
  needed: number,
  label = "",
  { message }: GPUError,
): OutOfMemoryError =>
  new OutOfMemoryError(`${title}: no room for ${needed} bytes (${label}): ${withoutStack(message)}`, needed);

/** The error for a plan whose scratch no buffer or no binding has room for. */
export function scratchError(
  { title, maxLength, sizes, groupingOf, variants }: Plan,
  bytes: number,
  most: number,
): LimitError {
  // Plans of calls at hand have one arrangement, and no variants.
  const { workGroupSize, itemsPerThread } = sizes ?? groupingOf(variants[0]?.arrangement ?? "padded");
  return new LimitError(
    `${title}: in tiles of ${workGroupSize} * ${itemsPerThread} items, maxLength ${maxLength} takes ${bytes} bytes of scratch, and the device's limit is ${most}; it takes a larger workGroupSize or itemsPerThread, or a smaller maxLength`,
    bytes,
    most,
    "maxLength",
  );
}

/**
 * Whether WGSL has `subgroup_id` on the device: the compiler says, by its error for a shader that uses it. Browsers tell it
 * without.
 */
export async function compilesSubgroupIds(device: GPUDevice): Promise<boolean> {
  device.pushErrorScope("validation");
  device.createShaderModule({
    label: "wavefold",
    code: "enable subgroups; @compute @workgroup_size(1) fn main(@builtin(subgroup_id) id: u32) {}",
  });
  // A lost device gives no answer.
  return device.popErrorScope().then(
    (failure) => failure === null,
    () => false,
  );
}
