// Stores the number of the segment that each of some positions is in. Then the positions count from call.first_index.
// Linked with contract.wgsl, a sort/segments_by_*.wgsl, output_items.wgsl and length_*.wgsl.
// Dispatch at least one work-group for each tile. Threads past the last position store nothing. No work-group memory.

@group(0) @binding(18) var<storage, read_write> reordered: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn number_segments(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (tile < call.tiles && index < length) {
      let position = reordered[index];
      write_item(index, segment_of(position, length));
      reordered[index] = position + call.first_index;
    }
  }
}
