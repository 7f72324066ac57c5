// Joins what several arrays hold for an item to one key: an unsigned integer in the order of a sort by one of them after another.
// Linked with contract.wgsl, input_items.wgsl, output_items.wgsl, length_*.wgsl and a sort/position_*.wgsl. Generated with it: joined_key.
// Dispatch at least one work-group for each tile. Threads past the last item store nothing. No work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn join_keys(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (tile < call.tiles && index < length) {
      write_item(index, joined_key(position_at(index)));
    }
  }
}
