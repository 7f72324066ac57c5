// Sorts by one digit of the keys, as sort_pass.wgsl, items of two words. The words take turns in work-group memory, so that a tile
// takes no more of it than a tile of items of one word.
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

  // Items past the end of the data get the greatest digit. Since they come last in the last tile, they stay last.
  var items: array<Output, ITEMS>;
  var digits: array<u32, ITEMS>;
  if ((tile + 1u) * TILE <= length) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      items[item] = output_from_input(read_item(place_of(tile, thread, item)));
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      digits[item] = digit_of(key_of(items[item]), params.digit);
    }
  } else {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let index = place_of(tile, thread, item);
      digits[item] = RADIX - 1u;
      if (index < length) {
        items[item] = output_from_input(read_item(index));
        digits[item] = digit_of(key_of(items[item]), params.digit);
      }
    }
  }

  // Hand on how many items have each digit as early as possible, since other tiles wait for it. Then rank the items.
  count_items(digits, thread);
  var count = count_of_digit(thread);
  let own = min(TILE, length - tile * TILE);
  if (thread == RADIX - 1u) {
    count -= TILE - own;
  }
  hand_on_digits(tile, count, thread);
  let before = scan_digits(vec2<u32>(count, items_of_digit(thread)), thread);
  set_first_of_digit(before.x, thread);
  var ranks = rank_items(digits, thread);
  for (var item = 0u; item < ITEMS; item++) { // unroll
    put_word(ranks[item], items[item].x);
  }

  load_values(tile, thread, length);

  // Where the first item of each digit goes in the output tells where all of them go.
  let first = first_of_digit(tile, count, before.y, thread, length);
  if (thread < RADIX) {
    atomicStore(&digit_words[thread], first - before.x);
  }
  workgroupBarrier();
  var moved: array<Output, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    moved[item].x = take_word(item * WORK_GROUP_SIZE + thread);
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    put_word(ranks[item], items[item].y);
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    moved[item].y = take_word(item * WORK_GROUP_SIZE + thread);
  }
  var places: array<u32, ITEMS>;
  if (own == TILE) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let digit = digit_of(key_of(moved[item]), params.digit);
      places[item] = atomicLoad(&digit_words[digit]) + item * WORK_GROUP_SIZE + thread;
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      store_key(places[item], moved[item]);
    }
  } else {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let at = item * WORK_GROUP_SIZE + thread;
      if (at < own) {
        places[item] = atomicLoad(&digit_words[digit_of(key_of(moved[item]), params.digit)]) + at;
        store_key(places[item], moved[item]);
      }
    }
  }
  move_values(tile, thread, ranks, places, length);
}
