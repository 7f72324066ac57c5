// Stores the totals of segments instead of prefixes, if items go one by one.
// Linked with one_by_one.wgsl and totals.wgsl. Call from any control flow. No work-group memory.
// replaces: store_prefix

fn store_prefix(index: u32, length: u32, prefix: Element) {
  if (index == 0u) {
    store_key_of_first(length);
  }
  store_if_last(index, length, prefix);
}
