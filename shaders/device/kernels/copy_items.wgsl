// Copies the first items of the input to the output, as many as `count_buffer` says: the second half of a compaction that first
// writes the kept items to scratch.
// Linked with contract.wgsl, input_items.wgsl, output_items.wgsl and the total's buffer.
// No work-group memory.

@group(0) @binding(5) var<storage, read> count_buffer: array<u32>;

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

fn items_to_copy() -> u32 {
  return min(call.length, count_buffer[call.count_base]);
}
