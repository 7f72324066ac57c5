// Sorts by one digit of the keys: moves the items of a tile to their places in the output, those with lesser digits first, and
// those with equal digits in the order that they had. First the work-group ranks the items of its tile. It puts them in order in
// its memory, and then takes them to the output, so that neighbours are stored side by side. A tile may go through the memory in
// PARTS parts of SHARE items, one after another. Then it takes less memory.
// Linked with contract.wgsl, a sort/rank_by_*.wgsl, a sort/first_by_*.wgsl, a sort/values_*.wgsl, sort/digits.wgsl,
// sort/memory.wgsl, sort/store_keys.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl.
// Dispatch at least one work-group for each tile. Work-groups past the last tile write nothing.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn sort_pass(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let tile = tile_of(work_group, thread);
  let length = data_length();
  if (tile * TILE >= length) {
    return;
  }
  // The load comes first, so that it is under way while the items are loaded.
  let of_all = items_of_digit(thread);

  // Items past the end of the data get the greatest digit. Since they come last in the last tile, they stay last.
  var items: array<Output, ITEMS>;
  var digits: array<u32, ITEMS>;
  if ((tile + 1u) * TILE <= length) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      items[item] = output_from_input(read_item(place_of(tile, thread, item)));
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      digits[item] = digit_of(key_of(items[item]), call.digit);
    }
  } else {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let index = place_of(tile, thread, item);
      digits[item] = RADIX - 1u;
      if (index < length) {
        items[item] = output_from_input(read_item(index));
        digits[item] = digit_of(key_of(items[item]), call.digit);
      }
    }
  }

  // Hand on how many items have each digit as early as possible, since other tiles wait for it. Then rank the items.
  count_items(tile, digits, thread);
  var count = count_of_digit(thread);
  let own = min(TILE, length - tile * TILE);
  if (thread == RADIX - 1u) {
    count -= TILE - own;
  }
  hand_on_digits(tile, count, thread);
  let before = scan_digits(vec2<u32>(count, of_all), thread);
  set_first_of_digit(before.x, thread);
  var ranks = rank_items(tile, digits, thread);
  put_items(ranks, items, 0u);

  load_values(tile, thread, length);
  find_places(tile, count, before, thread, length);
  for (var part = 0u; part < PARTS; part++) { // unroll
    var places: array<u32, SHARE_ITEMS>;
    if (own == TILE) {
      // All loads come first, so that they are under way together.
      var moved: array<Output, SHARE_ITEMS>;
      for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
        moved[item] = take_item(item * WORK_GROUP_SIZE + thread);
      }
      for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
        let digit = digit_of(key_of(moved[item]), call.digit);
        places[item] = atomicLoad(&digit_words[digit]) + part * SHARE + item * WORK_GROUP_SIZE + thread;
      }
      for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
        store_key(places[item], moved[item]);
      }
    } else {
      for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
        let at = item * WORK_GROUP_SIZE + thread;
        if (part * SHARE + at < own) {
          let moved = take_item(at);
          let digit = digit_of(key_of(moved), call.digit);
          places[item] = atomicLoad(&digit_words[digit]) + part * SHARE + at;
          store_key(places[item], moved);
        }
      }
    }
    move_values(part, own, thread, ranks, places);
    if (part + 1u < PARTS) {
      workgroupBarrier();
      put_items(ranks, items, part + 1u);
      workgroupBarrier();
    }
  }
}

// Puts the items of a part into work-group memory: those whose places in the sorted tile are among the part's.
fn put_items(given_ranks: array<u32, ITEMS>, given_items: array<Output, ITEMS>, part: u32) {
  var ranks = given_ranks;
  var items = given_items;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = ranks[item] - part * SHARE;
    if (PARTS == 1u || place < SHARE) {
      put_item(place, items[item]);
    }
  }
}
