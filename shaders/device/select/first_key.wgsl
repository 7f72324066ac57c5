// The first key of a block. Generated with it: key_from_item, and key_bits, the bits of keys that count. Call from any control flow.
// No work-group memory. Linked with select/keys.wgsl.

@group(0) @binding(3) var<storage, read_write> firsts: array<Key>;

// No key comes behind it. What is behind the end of the data has this key.
fn last_key() -> Key {
  return key_bits();
}

fn first_of(a: Key, item: Input) -> Key {
  let b = key_from_item(item) & key_bits();
  if (comes_before(b, a)) {
    return b;
  }
  return a;
}
