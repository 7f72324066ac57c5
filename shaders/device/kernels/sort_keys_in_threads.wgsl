// Sorts segments of keys, each on its own, by networks of comparisons: each thread puts its ITEMS items in order, and then longer and
// longer runs are merged. A tile has SLOTS slots of SLOT items, a power of 2, and a segment lies in each.
// Linked with contract.wgsl, sort/network_of_keys.wgsl and what it is linked with, a sort/keys_tell_*.wgsl, sort/places_in_slots.wgsl, a
// sort/segments_by_*.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl. Dispatch at least call.tiles work-groups. Those past
// the last tile write nothing. Work-group memory: that of sort/network_of_keys.wgsl and of sort/keys_tell_*.wgsl.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn sort_keys_in_threads(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  if (tile >= call.tiles) {
    return;
  }
  let length = data_length();
  var indices: array<u32, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = item * WORK_GROUP_SIZE + thread;
    indices[item] = index_of_place(tile, place, length);
    // What is behind the items of a segment has the last key. Items may have it, too.
    network_keys[item] = ~Key();
    if (indices[item] != NO_ITEM) {
      network_keys[item] = key_of(output_from_input(read_item(indices[item])));
    }
  }
  // After all loads, so that none waits for another.
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (indices[item] != NO_ITEM) {
      note_item(network_keys[item], item * WORK_GROUP_SIZE + thread);
    }
  }
  sort_slots(thread);
  put_noted_items(tile, indices, length, thread);
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (indices[item] != NO_ITEM) {
      write_item(indices[item], item_at(item * WORK_GROUP_SIZE + thread, network_keys[item]));
    }
  }
}
