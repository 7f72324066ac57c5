/**
 * Whether WGSL has `subgroup_id` on the device: it is tried with a shader. This is loaded where nothing tells it, as outside of
 * browsers.
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
