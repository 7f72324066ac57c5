// Counts how many items of a tile have each digit, and stores the counts digit by digit, so that their scan says where each
// digit's items of each tile go.
// Linked with contract.wgsl, sort/count_whole_tile.wgsl, sort/digits.wgsl, sort/memory.wgsl, input_items.wgsl and length_*.wgsl.
// Dispatch at least one work-group for each tile. Work-groups past the last tile write nothing.

@group(0) @binding(3) var<storage, read_write> digit_counts: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn count_digits(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  count_tile(tile, thread, data_length());
  if (thread < RADIX && tile < call.tiles) {
    digit_counts[thread * call.tiles + tile] = atomicLoad(&digit_words[thread]);
  }
}
