// Takes the first elements in an order, and stores them and their positions, the first one first. One work-group lists the last blocks,
// reads their elements, and lists those that may be among the first. Then it counts for each one how many come before it. Of equal
// keys, the elements that come first are taken, and keep their order.
// Linked with contract.wgsl, select/blocks_chosen.wgsl or select/blocks_all.wgsl, select/few.wgsl and what it is linked with,
// select/first_key.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl. Dispatch one work-group.
// Work-group memory: that of select/few.wgsl.

@group(0) @binding(5) var<storage, read_write> taken_count: array<u32>;
@group(0) @binding(18) var<storage, read_write> indices: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn take_first(@builtin(local_invocation_index) thread: u32) {
  let length = data_length();
  let shift = call.block_shift;
  let wanted = min(call.k, length);
  // There is room for the elements of these blocks.
  let blocks = list_blocks(shift, length, min(MOST_WANTED, TILE >> shift), thread);
  var keys: array<Key, ITEMS>;
  var positions: array<u32, ITEMS>;
  var left = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let at = item * WORK_GROUP_SIZE + thread;
    if (at < (blocks.count << shift)) {
      positions[item] = listed_position(at, shift);
      if (positions[item] < length) {
        keys[item] = key_from_item(read_item(positions[item])) & key_bits();
        left |= 1u << item;
      }
    }
  }
  var near: Key;
  if (length > 0u) {
    near = key_from_item(read_item(0u)) & key_bits();
  }
  // The list of blocks gives way to that of elements.
  workgroupBarrier();
  let are_many = FIRST_SHIFT == 0u && length > MOST_WANTED;
  let few = list_few(keys, positions, left, blocks.limit, near, wanted, MOST_WANTED, are_many, thread);
  place_few(few.count, thread);
  for (var at = thread; at < few.count; at += WORK_GROUP_SIZE) {
    let place = atomicLoad(&few_places[at]);
    if (place < wanted) {
      let position = few_numbers[at];
      write_item(place, read_item(position));
      indices[call.indices_base + place] = position + call.first_index;
    }
  }
  if (thread == 0u) {
    taken_count[call.count_base] = wanted;
  }
}
