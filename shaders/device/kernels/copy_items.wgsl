// Copies the first items of the input to the output: the second half of a call that first writes its results to scratch.
// Linked with contract.wgsl, input_items.wgsl, output_items.wgsl, and copy_counted.wgsl or copy_whole.wgsl, which say how many.
// No work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn copy_items(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let first = tile * TILE + local_index;
  let count = items_to_copy();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = first + item * WORK_GROUP_SIZE;
    if (index < count) {
      write_item(index, read_item(index));
    }
  }
}
