// Sorts segments, each on its own, by networks of comparisons: each thread puts its ITEMS items in order, and then longer and longer
// runs are merged. A tile has SLOTS slots of SLOT items, a power of 2, and a segment lies in each.
// Linked with contract.wgsl, sort/network_of_places.wgsl and what it is linked with, sort/places_in_slots.wgsl, a sort/segments_by_*.wgsl, a sort/segment_values_*.wgsl,
// a sort/stored_*.wgsl, a sort/store_*keys.wgsl, select/keys.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl. Generated with
// it: key_bits, the bits of keys that count. Dispatch at least call.tiles work-groups. Those past the last tile write nothing.
// Work-group memory: that of sort/network_of_places.wgsl.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn sort_segments_in_threads(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  if (tile >= call.tiles) {
    return;
  }
  let length = data_length();
  var indices: array<u32, ITEMS>;
  var items: array<Output, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = item * WORK_GROUP_SIZE + thread;
    indices[item] = index_of_place(tile, place, length);
    // What is behind the items of a segment comes behind all of them.
    network_keys[item] = key_bits();
    if (indices[item] != NO_ITEM) {
      items[item] = output_from_input(read_item(indices[item]));
      network_keys[item] = key_of(items[item]) & key_bits();
    }
  }
  load_segment_values(indices);
  var places = sorted_places(thread);
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (indices[item] != NO_ITEM) {
      let place = item * WORK_GROUP_SIZE + thread;
      indices[item] = stored_at(tile, places[item], indices[item] + places[item] - place);
    }
    if (indices[item] != NO_ITEM) {
      store_key(indices[item], items[item]);
    }
  }
  store_segment_values(indices);
}
