// Finds the place of each item in a sorted range whose length is on the GPU: how many of the range's items come before it.
// Linked with contract.wgsl, input_items.wgsl, output_items.wgsl, length_*.wgsl, search.wgsl and table_items.wgsl.
// Dispatch at least one work-group for each tile. Threads past the last item store nothing. No work-group memory.

@group(0) @binding(5) var<storage, read> sorted_count: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn search_counted(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  // The range has at most `call.sorted_length` items.
  let sorted_length = min(sorted_count[call.sorted_count_base], call.sorted_length);
  for (var item = 0u; item < ITEMS; item++) {
    let index = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (tile < call.tiles && index < length) {
      write_item(index, count_before(key_of(read_item(index)), sorted_length));
    }
  }
}
