// Keys of two words, two of them in a vector.
// Linked with sort/keys_in_vectors.wgsl and select/keys_of_pairs.wgsl.
// replaces: load_keys, key_at, keys_before, keys_up_to, keys_around

fn load_keys(thread: u32, length: u32) {
  for (var load = 0u; load < LOADS; load++) { // unroll
    let vector = load * WORK_GROUP_SIZE + thread;
    let index = vector * VECTOR_KEYS;
    let one = key_of(output_from_input(read_item(min(index, length - 1u)))) & key_bits();
    let other = key_of(output_from_input(read_item(min(index + 1u, length - 1u)))) & key_bits();
    if (vector < KEYS / VECTOR_KEYS) {
      all_keys[vector] = vec4<u32>(
        select(~Key(), one, index < length),
        select(~Key(), other, index + 1u < length),
      );
    }
  }
}

fn key_at(index: u32) -> Key {
  let keys = all_keys[index / VECTOR_KEYS];
  return select(keys.xy, keys.zw, index % VECTOR_KEYS == 1u);
}

fn keys_before(keys: vec4<u32>, key: Key) -> u32 {
  return select(0u, 1u, comes_before(keys.xy, key)) + select(0u, 1u, comes_before(keys.zw, key));
}

fn keys_up_to(keys: vec4<u32>, key: Key) -> u32 {
  return select(1u, 0u, comes_before(key, keys.xy)) + select(1u, 0u, comes_before(key, keys.zw));
}

fn keys_around(keys: vec4<u32>, key: Key, first: u32, index: u32) -> u32 {
  let one = comes_before(keys.xy, key) || (first < index && all(keys.xy == key));
  let other = comes_before(keys.zw, key) || (first + 1u < index && all(keys.zw == key));
  return select(0u, 1u, one) + select(0u, 1u, other);
}
