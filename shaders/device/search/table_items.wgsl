// The table is a range of the caller's, which has items.

@group(0) @binding(14) var<storage, read> sorted: array<Input>;

fn table_key(index: u32) -> Key {
  return key_of(sorted[call.sorted_base + index]);
}
