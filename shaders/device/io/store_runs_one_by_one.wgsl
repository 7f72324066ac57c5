// Stores the prefixes of a thread's consecutive items, one by one. `before` is what comes before the first item. Each item
// is read a second time here.
// Linked with store_prefixes.wgsl, one_by_one.wgsl, one_by_one_runs.wgsl, and an input and an output of single items. Call
// from any control flow. No work-group memory.
// replaces: store_prefixes

fn store_prefixes(tile: u32, thread: u32, length: u32, before: Element) {
  var prefix = before;
  // No other thread reads or writes these items, so input and output may be the same range.
  let first = vector_of(tile, thread, 0u);
  let end = min(first + ITEMS, length);
  for (var index = first; index < end; index++) {
    let earlier = prefix;
    prefix = combine(prefix, load_element(index));
    store_prefix(index, length, select_prefix(earlier, prefix));
  }
}
