// Finds the first key of each block. A thread takes a block.
// Linked with contract.wgsl, input_items.wgsl, length_*.wgsl, select/keys.wgsl, select/blocks.wgsl and select/first_key.wgsl.
// Dispatch at least one thread for each block. Threads past the last block write nothing. No work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn first_of_blocks(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let block = (work_group.y * call.grid_width + work_group.x) * WORK_GROUP_SIZE + thread;
  let length = data_length();
  let shift = call.block_shift;
  if (block >= blocks_of(shift, length)) {
    return;
  }
  let start = number_of(block, shift) << shift;
  let end = min(length, start + (1u << shift));
  var key = last_key();
  for (var at = start; at < end; at += ITEMS) {
    // All loads come first, so that they are under way together. Those past the end load the last item again.
    var items: array<Input, ITEMS>;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      items[item] = read_item(min(at + item, end - 1u));
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      key = first_of(key, items[item]);
    }
  }
  firsts[block] = key;
}
