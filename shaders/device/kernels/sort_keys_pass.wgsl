// Sorts keys alone by one digit, as sort_pass.wgsl does, but ranks the items of a tile by the order in which their threads arrive
// at counters. That takes no votes. Nothing promises that order, so it is checked. If it is not what it should be, the tile sorts
// its items again, by votes. So only the speed depends on what is not promised.
//
// The items of a pass are in order by all lower digits. Past the pass, they must be in order by all digits up to this one. What
// comes of items that are equal by these digits does not show: later passes put them in order, and equal keys are equal items.
// So a tile is right if each of its items, once they are in their places, is not less than its neighbour before it by these
// digits. In which places the items were does not matter. A tile that has items whose equals are others (NaN) is always ranked
// again, by votes.
//
// A tile goes through the memory in PARTS parts of SHARE items, one after another. Before the items of a part stands the last one of
// the part before.
// Linked with contract.wgsl, rank_by_votes.wgsl, rank_by_arrival.wgsl, a sort/first_by_*.wgsl, sort/digits.wgsl, sort/order.wgsl,
// sort/memory.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl.
// Dispatch at least one work-group for each tile. Work-groups past the last tile write nothing.
// Work-group memory: that of the files, and two words.

var<workgroup> disorder: atomic<u32>;
var<workgroup> sorts_again: u32;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn sort_keys_pass(
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

  // Each item counts in the counters of its subgroup's run, and takes what it finds there.
  let own = min(TILE, length - tile * TILE);
  var is_wrong = false;
  var items: array<Output, ITEMS>;
  var ranks: array<u32, ITEMS>;
  if (own == TILE) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      items[item] = output_from_input(read_item(place_of(tile, thread, item)));
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let at = arrival_of(item, tile);
      let key = key_of(items[at]);
      is_wrong |= are_equals_others(key);
      ranks[at] = atomicAdd(&sort_memory[counter_of(digit_of(key, call.digit))], 1u);
    }
  } else {
    // Places past the end of the data have its last item, and do not count. So no load waits for another.
    for (var item = 0u; item < ITEMS; item++) { // unroll
      items[item] = output_from_input(read_item(min(place_of(tile, thread, item), length - 1u)));
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let at = arrival_of(item, tile);
      let key = key_of(items[at]);
      let counts = place_of(0u, thread, at) < own;
      is_wrong |= counts & are_equals_others(key);
      ranks[at] = atomicAdd(&sort_memory[counter_of(digit_of(key, call.digit))], select(0u, 1u, counts));
    }
  }
  workgroupBarrier();

  // Hand on how many items have each digit as early as possible, since other tiles wait for it. Then rank the items. Items past the
  // end of the data stay where they are.
  let count = count_of_digit(thread);
  hand_on_digits(tile, count, thread);
  let before = scan_digits(vec2<u32>(count, of_all), thread);
  set_first_of_digit(before.x, thread);
  if (own == TILE) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      ranks[item] += atomicLoad(&sort_memory[counter_of(digit_of(key_of(items[item]), call.digit))]);
    }
  } else {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let place = place_of(0u, thread, item);
      let first = atomicLoad(&sort_memory[counter_of(digit_of(key_of(items[item]), call.digit))]);
      ranks[item] = select(place, ranks[item] + first, place < own);
    }
  }
  workgroupBarrier();
  put_items(ranks, items, 0u);

  find_places(tile, count, before, thread, length);
  for (var part = 0u; part < PARTS; part++) { // unroll
    // All loads come first, so that they are under way together.
    var moved: array<Output, SHARE_ITEMS>;
    for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
      moved[item] = take_item(item * WORK_GROUP_SIZE + thread + 1u);
    }
    if (own == TILE) {
      store_items(moved, part, thread);
      for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
        let is_first = part == 0u && item == 0u && thread == 0u;
        is_wrong |= !is_first & is_less_than_before(moved[item], item * WORK_GROUP_SIZE + thread);
      }
    } else {
      for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
        let at = item * WORK_GROUP_SIZE + thread;
        if (part * SHARE + at < own) {
          store_item(moved[item], part * SHARE + at);
          let is_first = part == 0u && item == 0u && thread == 0u;
          is_wrong |= !is_first & is_less_than_before(moved[item], at);
        }
      }
    }
    if (part + 1u < PARTS) {
      workgroupBarrier();
      put_items(ranks, items, part + 1u);
      workgroupBarrier();
    }
  }

  if (is_wrong) {
    atomicStore(&disorder, 1u);
  }
  workgroupBarrier();
  if (thread == 0u) {
    sorts_again = atomicLoad(&disorder);
  }
  if (workgroupUniformLoad(&sorts_again) != 0u) {
    sort_again(tile, before.x, own, thread);
  }
}

// Puts the items of a part into work-group memory, and before them the last one of the part before.
fn put_items(given_ranks: array<u32, ITEMS>, given_items: array<Output, ITEMS>, part: u32) {
  var ranks = given_ranks;
  var items = given_items;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = ranks[item] + 1u - part * SHARE;
    if (PARTS == 1u || place <= SHARE) {
      put_item(place, items[item]);
    }
  }
}

fn store_items(given: array<Output, SHARE_ITEMS>, part: u32, thread: u32) {
  var moved = given;
  var places: array<u32, SHARE_ITEMS>;
  for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
    let digit = digit_of(key_of(moved[item]), call.digit);
    places[item] = atomicLoad(&digit_words[digit]) + part * SHARE + item * WORK_GROUP_SIZE + thread;
  }
  for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
    write_item(places[item], moved[item]);
  }
}

fn store_item(item: Output, place: u32) {
  write_item(atomicLoad(&digit_words[digit_of(key_of(item), call.digit)]) + place, item);
}

// Whether an item is less, by the digits up to this one, than its neighbour before it, which is in memory at `before`.
fn is_less_than_before(item: Output, before: u32) -> bool {
  return !are_in_order(key_of(take_item(before)), key_of(item));
}

// Ranks the items of the tile by votes, and stores them. `first` is the place of the first item of the digit `thread` in the sorted
// tile. Items past the end of the data get the greatest digit. Since they come last in the last tile, they stay last.
fn sort_again(tile: u32, first: u32, own: u32, thread: u32) {
  clear_ranks(thread);
  var items: array<Output, ITEMS>;
  var digits: array<u32, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = place_of(tile, thread, item);
    digits[item] = RADIX - 1u;
    if (index - tile * TILE < own) {
      items[item] = output_from_input(read_item(index));
      digits[item] = digit_of(key_of(items[item]), call.digit);
    }
  }
  count_items(tile, digits, thread);
  set_first_of_digit(first, thread);
  let ranks = rank_items(tile, digits, thread);
  for (var part = 0u; part < PARTS; part++) { // unroll
    put_items(ranks, items, part);
    workgroupBarrier();
    for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
      let at = item * WORK_GROUP_SIZE + thread;
      if (part * SHARE + at < own) {
        store_item(take_item(at + 1u), part * SHARE + at);
      }
    }
    workgroupBarrier();
  }
}
