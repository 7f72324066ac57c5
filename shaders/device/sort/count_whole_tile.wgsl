// Counts the digits of a tile's items, as count_tile.wgsl does, but with all loads of a whole tile at once, so that they are under way
// together. That takes a register for each item of a thread.
// Linked with memory.wgsl, digits.wgsl and input_items.wgsl.

// Leaves how many items have each digit in digit_words. Call in uniform control flow.
fn count_tile(tile: u32, thread: u32, length: u32) {
  if (thread < RADIX) {
    atomicStore(&digit_words[thread], 0u);
  }
  workgroupBarrier();
  let first = tile * TILE + thread;
  if ((tile + 1u) * TILE <= length) {
    var digits: array<u32, ITEMS>;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let key = key_of(output_from_input(read_item(first + item * WORK_GROUP_SIZE)));
      digits[item] = digit_of(key, call.digit);
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      atomicAdd(&digit_words[digits[item]], 1u);
    }
  } else {
    for (var index = first; index < length; index += WORK_GROUP_SIZE) {
      atomicAdd(&digit_words[digit_of(key_of(output_from_input(read_item(index))), call.digit)], 1u);
    }
  }
  workgroupBarrier();
}
