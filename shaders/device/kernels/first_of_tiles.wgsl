// Finds the first key of each block. LANES threads take a block, so a work-group takes several.
// Linked with contract.wgsl, an input, length_*.wgsl, select/keys.wgsl, select/blocks.wgsl and
// select/first_key.wgsl.
// Dispatch at least LANES threads for each block. Threads past the last block write nothing. Work-group memory: a key for each thread.

var<workgroup> thread_keys: array<Key, WORK_GROUP_SIZE>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn first_of_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let block = (work_group.y * call.grid_width + work_group.x) * (WORK_GROUP_SIZE / LANES) + thread / LANES;
  let length = data_length();
  let shift = call.block_shift;
  let is_block = block < blocks_of(shift, length);
  let start = select(length, number_of(block, shift) << shift, is_block);
  let end = min(length, start + (1u << shift));
  var key = last_key();
  for (var at = start + thread % LANES * VECTOR; at < end; at += LANES * ITEMS) {
    // All loads come first, so that they are under way together.
    var items: array<array<Input, VECTOR>, VECTORS>;
    if (at + (VECTORS - 1u) * (LANES * VECTOR) + VECTOR <= min(end, call.wide_length)) {
      for (var vector = 0u; vector < VECTORS; vector++) { // unroll
        items[vector] = input_items(read_vector(at / VECTOR + vector * LANES));
      }
      for (var vector = 0u; vector < VECTORS; vector++) { // unroll
        for (var item = 0u; item < VECTOR; item++) { // unroll
          key = first_of(key, items[vector][item]);
        }
      }
    } else {
      for (var vector = 0u; vector < VECTORS; vector++) {
        let first = at + vector * (LANES * VECTOR);
        if (first < end) {
          var edge = read_edge(first / VECTOR, length);
          for (var item = 0u; item < VECTOR; item++) { // unroll
            if (first + item < end) {
              key = first_of(key, edge[item]);
            }
          }
        }
      }
    }
  }
  thread_keys[thread] = key;
  for (var distance = 1u; distance < LANES; distance <<= 1u) {
    workgroupBarrier();
    if (thread % (2u * distance) == 0u && comes_before(thread_keys[thread + distance], thread_keys[thread])) {
      thread_keys[thread] = thread_keys[thread + distance];
    }
  }
  if (thread % LANES == 0u && is_block) {
    firsts[block] = thread_keys[thread];
  }
}
