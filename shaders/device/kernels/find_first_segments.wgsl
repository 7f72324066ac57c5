// Stores the first segment that ends behind the first item of each tile of FIRST_TILE items, for reduce_offsets.wgsl. Each thread takes
// one of these tiles, and searches by halves.
// Linked with contract.wgsl, offsets.wgsl and length_*.wgsl. call.reduction_tiles is the number of those tiles. Dispatch call.tiles
// work-groups, or more. No work-group memory.

@group(0) @binding(14) var<storage, read_write> first_segments: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn find_first_segments(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = (work_group.y * call.grid_width + work_group.x) * WORK_GROUP_SIZE + local_index;
  if (tile >= call.reduction_tiles) {
    return;
  }
  first_segments[tile] = segment_up_from(tile * FIRST_TILE, data_length());
}
