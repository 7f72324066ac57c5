// Sorts short segments, each on its own, by comparing each item with all others of its segment. Its place is the number of items before it. A tile has
// SLOTS slots of SLOT items, and a segment lies in each.
// Linked with contract.wgsl, sort/places_in_slots.wgsl, a sort/segments_by_*.wgsl, a sort/segment_values_*.wgsl, a sort/stored_*.wgsl,
// a sort/store_*keys.wgsl, select/keys.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl. Generated with it: key_bits, the
// bits of keys that count. Dispatch at least call.tiles work-groups. Those past the last tile write nothing.
// Work-group memory: a key for each item of the tile and of one slot more.

// The last places of a tile may be in no slot, and read past the tile.
var<workgroup> slot_keys: array<Key, TILE + SLOT>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn sort_short_segments(
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
  var keys: array<Key, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = item * WORK_GROUP_SIZE + thread;
    indices[item] = index_of_place(tile, place, length);
    // What is behind the items of a segment comes before none of them.
    keys[item] = key_bits();
    if (indices[item] != NO_ITEM) {
      items[item] = output_from_input(read_item(indices[item]));
      keys[item] = key_of(items[item]) & key_bits();
    }
    slot_keys[place] = keys[item];
  }
  load_segment_values(indices);
  workgroupBarrier();

  // How many items of its segment come before each item. Equal ones keep their order.
  var ranks: array<u32, ITEMS>;
  for (var other = 0u; other < SLOT; other++) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let place = item * WORK_GROUP_SIZE + thread;
      let key = slot_keys[place - place % SLOT + other];
      let is_before = select(
        comes_before(key, keys[item]),
        !comes_before(keys[item], key),
        other < place % SLOT,
      );
      ranks[item] += select(0u, 1u, is_before);
    }
  }
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (indices[item] != NO_ITEM) {
      let place = item * WORK_GROUP_SIZE + thread;
      let first = place - place % SLOT;
      indices[item] = stored_at(tile, first + ranks[item], indices[item] - place % SLOT + ranks[item]);
    }
    if (indices[item] != NO_ITEM) {
      store_key(indices[item], items[item]);
    }
  }
  store_segment_values(indices);
}
