// The table is a buffer of ours, which has keys. An equal key comes before the one that is looked for.

@group(0) @binding(14) var<storage, read> table: array<Key>;

fn table_key(index: u32) -> Key {
  return table[index];
}

fn comes_before(entry: Key, key: Key) -> bool {
  return !is_less(key, entry);
}
