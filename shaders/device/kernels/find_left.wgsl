// Finds the one element that a selection has left.
// Linked with contract.wgsl, kernels/histogram.wgsl, an input, length_*.wgsl, select/selection.wgsl and
// select/store_found.wgsl.
// Dispatch one work-group for each tile. A grid of several rows may have more. No work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn find_left(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  tally_tile(work_group.y * call.grid_width + work_group.x, thread, data_length());
}
