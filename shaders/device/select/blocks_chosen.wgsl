// The blocks that may have the first keys. One work-group lists them from the first keys of all blocks.
// Linked with contract.wgsl, select/few.wgsl and what it is linked with, and select/blocks.wgsl. Call in uniform control flow.
// Work-group memory: that of select/few.wgsl.

@group(0) @binding(3) var<storage, read> first_keys: array<Key>;

// Lists the numbers of at most `most` blocks. No key of an element that is wanted comes behind the limit.
fn list_blocks(shift: u32, length: u32, most: u32, thread: u32) -> Few {
  let blocks = blocks_of(shift, length);
  var limit = key_bits();
  var near = first_keys[0];
  if (shift != FIRST_SHIFT) {
    limit = key_from_words(vec2<u32>(numbers[call.limit_place], numbers[call.limit_place + 1u]));
    near = limit;
  }
  var keys: array<Key, ITEMS>;
  var block_numbers: array<u32, ITEMS>;
  var left = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let block = item * WORK_GROUP_SIZE + thread;
    if (block < blocks) {
      keys[item] = first_keys[block];
      block_numbers[item] = number_of(block, shift);
      left |= 1u << item;
    }
  }
  let are_many = shift == FIRST_SHIFT && blocks > most;
  let few = list_few(keys, block_numbers, left, limit, near, min(call.k, blocks), most, are_many, thread);
  // If there are fewer blocks than elements are wanted, the last one's first key is no limit.
  return Few(few.count, select(key_bits(), few.limit, blocks >= call.k));
}

fn listed_position(at: u32, shift: u32) -> u32 {
  return (few_numbers[at >> shift] << shift) | (at & ((1u << shift) - 1u));
}
