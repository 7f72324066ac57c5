// Scans each column of a matrix. A thread scans one run: the items that one column has in one chunk of rows. Its prefixes
// start from the carry, which is the combination of the runs above it.
// Linked with contract.wgsl, chunks.wgsl, an input and an output of single items, length_*.wgsl and carry_*.wgsl.
// Dispatch at least one thread for each run. Threads past the last run store nothing. No work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_columns(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let place = tile * WORK_GROUP_SIZE + local_index;
  let run = run_at(place, data_length());
  if (run.count == 0u) {
    return;
  }
  var prefix = load_carry(carry_place(place));
  var index = run.first;
  var left = run.count;
  // No other thread reads or writes these items, so input and output may be the same range.
  while (left >= ITEMS) {
    // All loads come before the first combination, so that no load waits for another.
    var elements: array<Element, ITEMS>;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let at = index + item * call.columns;
      elements[item] = element_from_item(read_item(at), at);
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let earlier = prefix;
      prefix = combine(prefix, elements[item]);
      write_item(index + item * call.columns, item_from_element(select_prefix(earlier, prefix)));
    }
    index += ITEMS * call.columns;
    left -= ITEMS;
  }
  while (left > 0u) {
    let earlier = prefix;
    prefix = combine(prefix, element_from_item(read_item(index), index));
    write_item(index, item_from_element(select_prefix(earlier, prefix)));
    index += call.columns;
    left -= 1u;
  }
}
