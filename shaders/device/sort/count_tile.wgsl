// Counts the digits of a tile's items.
// Linked with memory.wgsl, digits.wgsl and input_items.wgsl.

// Leaves how many items have each digit in digit_words. Call in uniform control flow.
fn count_tile(tile: u32, thread: u32, length: u32) {
  if (thread < RADIX) {
    atomicStore(&digit_words[thread], 0u);
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) {
    let index = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (index < length) {
      let key = key_of(output_from_input(read_item(index)));
      atomicAdd(&digit_words[digit_of(key, call.digit)], 1u);
    }
  }
  workgroupBarrier();
}
