// Sorts segments that fit in a tile, each on its own: by one digit after another, in work-group memory. A tile has SLOTS slots of
// SLOT items, and a segment lies in each. Its number in the tile is the upper part of the digits of its items, so each item stays
// in its slot. What is behind the items of a segment has the greatest digit of the slot, and stays behind them.
// Linked with contract.wgsl, a sort/rank_by_*.wgsl, sort/places_in_slots.wgsl, a sort/segments_by_*.wgsl,
// a sort/segment_values_*.wgsl, sort/digits_in_slots.wgsl, a sort/stored_*.wgsl, sort/memory.wgsl, a sort/store_*keys.wgsl,
// input_items.wgsl, output_items.wgsl and length_*.wgsl. Dispatch at least call.tiles work-groups. Those past the last tile write nothing.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn sort_segments(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let tile = work_group.y * call.grid_width + work_group.x;
  if (tile >= call.tiles) {
    return;
  }
  let length = data_length();
  // Where the items are that are at the thread's places before the sort, and where those go that are there after it.
  var indices: array<u32, ITEMS>;
  var items: array<Output, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    indices[item] = index_of_place(tile, place_of(0u, thread, item), length);
    if (indices[item] != NO_ITEM) {
      items[item] = output_from_input(read_item(indices[item]));
    }
  }
  load_segment_values(indices);
  for (var digit = 0u; digit < DIGITS; digit++) {
    var digits: array<u32, ITEMS>;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      var own = SLOT_RADIX - 1u;
      if (indices[item] != NO_ITEM) {
        own = digit_of(key_of(items[item]), digit);
      }
      digits[item] = (place_of(0u, thread, item) / SLOT) * SLOT_RADIX + own;
    }
    count_items(tile, digits, thread);
    let before = scan_digits(vec2<u32>(count_of_digit(thread), 0u), thread);
    set_first_of_digit(before.x, thread);
    var ranks = rank_items(tile, digits, thread);
    for (var item = 0u; item < ITEMS; item++) { // unroll
      put_item(ranks[item], items[item]);
    }
    workgroupBarrier();
    for (var item = 0u; item < ITEMS; item++) { // unroll
      items[item] = take_item(place_of(0u, thread, item));
    }
    workgroupBarrier();
    exchange_segment_values(thread, ranks);
    clear_ranks(thread);
  }
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (indices[item] != NO_ITEM) {
      indices[item] = stored_at(tile, place_of(0u, thread, item), indices[item]);
    }
    if (indices[item] != NO_ITEM) {
      store_key(indices[item], items[item]);
    }
  }
  store_segment_values(indices);
}
