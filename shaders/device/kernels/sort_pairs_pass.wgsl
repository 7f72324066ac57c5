// Sorts keys and their values by one digit, as sort_pass.wgsl does, but ranks the items of a tile by the order in which their threads
// arrive at counters. That takes no votes. Nothing promises that order, so it is checked. If it is not what it should be, the tile
// sorts its items again, by votes. So only the speed depends on what is not promised.
//
// Beside each item goes its mark: its digit, and behind that its place in the tile before the pass. A tile is right if each mark is
// greater than the one before it: then the items are in order by the digit, and those with equal digits in the order that they had.
//
// A tile goes through the memory in PARTS parts of SHARE items, one after another. Before the items of a part stands the last one of
// the part before.
// Linked with contract.wgsl, rank_by_votes.wgsl, rank_by_arrival.wgsl, a sort/first_by_*.wgsl, a sort/values_*.wgsl that declares
// read_value, sort/digits.wgsl, sort/memory.wgsl, sort/store_keys.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl.
// Dispatch at least one work-group for each tile. Work-groups past the last tile write nothing.
// Work-group memory: that of the files, and two words.

@group(0) @binding(18) var<storage, read_write> reordered: array<Value>;

var<workgroup> disorder: atomic<u32>;
var<workgroup> sorts_again: u32;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn sort_pairs_pass(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let tile = tile_of(work_group, thread);
  let length = data_length();
  if (tile * TILE >= length) {
    return;
  }

  // Each item counts in the counters of its subgroup's run, and takes what it finds there. Places past the end of the data have its
  // last item, and do not count. So no load waits for another.
  let own = min(TILE, length - tile * TILE);
  var items: array<Output, ITEMS>;
  var values: array<Value, ITEMS>;
  var ranks: array<u32, ITEMS>;
  if (own == TILE) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      items[item] = output_from_input(read_item(place_of(tile, thread, item)));
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let at = arrival_of(item, tile);
      ranks[at] = atomicAdd(&sort_memory[counter_of(digit_of(key_of(items[at]), params.digit))], 1u);
    }
  } else {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      items[item] = output_from_input(read_item(min(place_of(tile, thread, item), length - 1u)));
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let at = arrival_of(item, tile);
      let counts = select(0u, 1u, place_of(0u, thread, at) < own);
      ranks[at] = atomicAdd(&sort_memory[counter_of(digit_of(key_of(items[at]), params.digit))], counts);
    }
  }
  workgroupBarrier();

  // Hand on how many items have each digit as early as possible, since other tiles wait for it. Then rank the items. Items past the
  // end of the data stay where they are.
  let count = count_of_digit(thread);
  hand_on_digits(tile, count, thread);
  let before = scan_digits(vec2<u32>(count, items_of_digit(thread)), thread);
  set_first_of_digit(before.x, thread);
  for (var item = 0u; item < ITEMS; item++) { // unroll
    values[item] = read_value(min(place_of(tile, thread, item), length - 1u));
  }
  if (own == TILE) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      ranks[item] += atomicLoad(&sort_memory[counter_of(digit_of(key_of(items[item]), params.digit))]);
    }
  } else {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let place = place_of(0u, thread, item);
      let first = atomicLoad(&sort_memory[counter_of(digit_of(key_of(items[item]), params.digit))]);
      ranks[item] = select(place, ranks[item] + first, place < own);
    }
  }
  workgroupBarrier();

  put_keys(ranks, items, thread, 0u);
  find_places(tile, count, before, thread, length);
  put_values(ranks, values, 0u);
  workgroupBarrier();
  var is_wrong = false;
  for (var part = 0u; part < PARTS; part++) { // unroll
    if (own == TILE) {
      // All loads come first, so that they are under way together.
      var moved: array<Output, SHARE_ITEMS>;
      var places: array<u32, SHARE_ITEMS>;
      for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
        let at = item * WORK_GROUP_SIZE + thread;
        let mark = take_mark(at + 1u);
        let is_first = part == 0u && item == 0u && thread == 0u;
        is_wrong |= !is_first & (mark <= take_mark(at));
        moved[item] = take_item(at + 1u);
        places[item] = atomicLoad(&digit_words[mark >> 16u]) + part * SHARE + at;
      }
      for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
        store_key(places[item], moved[item]);
      }
      for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
        reordered[params.reordered_base + places[item]] = take_value(item * WORK_GROUP_SIZE + thread + 1u);
      }
    } else {
      for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
        let at = item * WORK_GROUP_SIZE + thread;
        if (part * SHARE + at < own) {
          let mark = take_mark(at + 1u);
          let is_first = part == 0u && item == 0u && thread == 0u;
          is_wrong |= !is_first & (mark <= take_mark(at));
          let place = atomicLoad(&digit_words[mark >> 16u]) + part * SHARE + at;
          store_key(place, take_item(at + 1u));
          reordered[params.reordered_base + place] = take_value(at + 1u);
        }
      }
    }
    if (part + 1u < PARTS) {
      workgroupBarrier();
      put_keys(ranks, items, thread, part + 1u);
      put_values(ranks, values, part + 1u);
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
    // What the tile has stored is stored again, by other threads.
    storageBarrier();
    sort_again(tile, before.x, own, thread);
  }
}

// Puts the items of a part into work-group memory, with their marks, and before them the last one of the part before.
fn put_keys(given_ranks: array<u32, ITEMS>, given_items: array<Output, ITEMS>, thread: u32, part: u32) {
  var ranks = given_ranks;
  var items = given_items;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = ranks[item] + 1u - part * SHARE;
    if (PARTS == 1u || place <= SHARE) {
      put_item(place, items[item]);
      put_mark(place, (digit_of(key_of(items[item]), params.digit) << 16u) | place_of(0u, thread, item));
    }
  }
}

fn put_values(given_ranks: array<u32, ITEMS>, given_values: array<Value, ITEMS>, part: u32) {
  var ranks = given_ranks;
  var values = given_values;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = ranks[item] + 1u - part * SHARE;
    if (PARTS == 1u || place <= SHARE) {
      put_value(place, values[item]);
    }
  }
}

// Ranks the items of the tile by votes, and stores them with their values. `first` is the place of the first item of the digit `thread`
// in the sorted tile. Items past the end of the data get the greatest digit. Since they come last in the last tile, they stay last.
fn sort_again(tile: u32, first: u32, own: u32, thread: u32) {
  clear_ranks(thread);
  var items: array<Output, ITEMS>;
  var values: array<Value, ITEMS>;
  var digits: array<u32, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = place_of(tile, thread, item);
    digits[item] = RADIX - 1u;
    if (index - tile * TILE < own) {
      items[item] = output_from_input(read_item(index));
      values[item] = read_value(index);
      digits[item] = digit_of(key_of(items[item]), params.digit);
    }
  }
  count_items(digits, thread);
  set_first_of_digit(first, thread);
  let ranks = rank_items(digits, thread);
  for (var part = 0u; part < PARTS; part++) { // unroll
    put_keys(ranks, items, thread, part);
    put_values(ranks, values, part);
    workgroupBarrier();
    for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
      let at = item * WORK_GROUP_SIZE + thread;
      if (part * SHARE + at < own) {
        let place = atomicLoad(&digit_words[take_mark(at + 1u) >> 16u]) + part * SHARE + at;
        store_key(place, take_item(at + 1u));
        reordered[params.reordered_base + place] = take_value(at + 1u);
      }
    }
    workgroupBarrier();
  }
}
