// One work-group counts how many items of one tile are kept, and stores the count at the tile's place.
// Linked with contract.wgsl (Element is u32, the operator is add), an algorithm,
// load_kept.wgsl, an input and length_*.wgsl.
// Dispatch one work-group for each tile. A grid of several rows may have more. Tiles past the end of the data keep nothing.
// Work-group memory: the algorithm's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn count_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let total = reduce_tile(counts_of(load_kept(tile, thread, data_length())), thread);
  if (tile < call.tiles && thread == 0u) {
    counts[tile] = total;
  }
}

@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
