// Scans a subgroup's rows of items, one row after another, with one item for each lane. Then it puts what comes before the
// run in front of each prefix, and stores the prefix. Each item is read a second time here.
// Linked with store_prefixes.wgsl, one_by_one.wgsl, subgroup.wgsl, one_by_one_rows.wgsl, subgroup_rows.wgsl, and an input
// and an output of single items. Call in uniform control flow. No work-group memory.
// replaces: store_prefixes

fn store_prefixes(tile: u32, thread: u32, length: u32, before: Element) {
  var earlier_rows = identity();
  for (var row = 0u; row < ITEMS; row++) {
    // No other thread reads or writes this item, so input and output may be the same range.
    let index = vector_of(tile, thread, row);
    let element = element_at(index, length);
    let scan = scan_row(element);
    var earlier = earlier_rows;
    if (subgroup_rank > 0u) {
      earlier = combine(earlier_rows, scan.exclusive);
    }
    if (index < length) {
      let prefix = select_prefix(earlier, combine(earlier, element));
      store_prefix(index, length, combine(before, prefix));
    }
    earlier_rows = combine(earlier_rows, scan.total);
  }
}
