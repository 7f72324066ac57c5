// Copies positions. Those past the end of the output become the first one past it, so that a sort by the bits of all others puts them last.
// Linked with contract.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl.
// Dispatch at least one work-group for each tile. Threads past the last item store nothing. No work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn cut_positions(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (tile < call.tiles && index < length) {
      write_item(index, min(read_item(index), call.room));
    }
  }
}
