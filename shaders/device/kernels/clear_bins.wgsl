// Sets all bins to zero.
// Linked with contract.wgsl.
// Dispatch at least one thread for each bin. No work-group memory.

@group(0) @binding(16) var<storage, read_write> cleared: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn clear_bins(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let bin = (work_group.y * call.grid_width + work_group.x) * WORK_GROUP_SIZE + thread;
  if (bin < call.length) {
    cleared[call.output_base + bin] = 0u;
  }
}
