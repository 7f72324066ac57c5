// Sorts data of one tile: by one digit after another, in work-group memory.
// Linked with contract.wgsl, a sort/rank_by_*.wgsl, a sort/values_*.wgsl, sort/digits.wgsl, sort/memory.wgsl,
// sort/store_keys.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl. Dispatch one work-group.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn sort_one_tile(invocation: Invocation) {
  let thread = work_group_thread(invocation);
  let length = data_length();
  var items: array<Output, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = place_of(0u, thread, item);
    if (index < length) {
      items[item] = output_from_input(read_item(index));
    }
  }
  load_values(0u, thread, length);
  for (var digit = 0u; digit < DIGITS; digit++) {
    // What comes after the data gets the greatest digit, and stays behind it.
    var digits: array<u32, ITEMS>;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      digits[item] = RADIX - 1u;
      if (place_of(0u, thread, item) < length) {
        digits[item] = digit_of(key_of(items[item]), digit);
      }
    }
    count_items(0u, digits, thread);
    let before = scan_digits(vec2<u32>(count_of_digit(thread), 0u), thread);
    set_first_of_digit(before.x, thread);
    var ranks = rank_items(0u, digits, thread);
    for (var item = 0u; item < ITEMS; item++) { // unroll
      put_item(rank_in(ranks[item / RANKS], item), items[item]);
    }
    workgroupBarrier();
    for (var item = 0u; item < ITEMS; item++) { // unroll
      items[item] = take_item(place_of(0u, thread, item));
    }
    workgroupBarrier();
    exchange_values(thread, ranks);
    clear_ranks(thread);
  }
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = place_of(0u, thread, item);
    if (index < length) {
      store_key(index, items[item]);
    }
  }
  store_values(thread, length);
}
