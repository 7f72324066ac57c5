// Fills the output.
// Linked with contract.wgsl and output_items.wgsl. Generated with it: filled_item, which gives what each item is.
// Dispatch at least one work-group for each tile. Threads past the last item store nothing. No work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn fill_items(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (tile < call.tiles && index < call.length) {
      write_item(index, filled_item());
    }
  }
}
