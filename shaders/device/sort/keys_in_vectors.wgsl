// The keys of all items in work-group memory, four of them in a vector, and how many keys of a vector come before a key.
// Linked with contract.wgsl, select/keys.wgsl, input_items.wgsl and length_*.wgsl. Generated with it: key_bits, the bits of keys that
// count. Call load_keys and then a barrier before the others, which are called from any control flow.
// Work-group memory: KEYS keys, a multiple of four.

var<workgroup> all_keys: array<vec4<u32>, KEYS / VECTOR_KEYS>;

// What is past the end of the data comes before nothing.
fn load_keys(thread: u32, length: u32) {
  for (var load = 0u; load < LOADS; load++) { // unroll
    let vector = load * WORK_GROUP_SIZE + thread;
    var keys: vec4<u32>;
    for (var at = 0u; at < VECTOR_KEYS; at++) { // unroll
      let index = vector * VECTOR_KEYS + at;
      let key = key_of(output_from_input(read_item(min(index, length - 1u)))) & key_bits();
      keys[at] = select(~0u, key, index < length);
    }
    if (vector < KEYS / VECTOR_KEYS) {
      all_keys[vector] = keys;
    }
  }
}

fn key_at(index: u32) -> Key {
  return all_keys[index / VECTOR_KEYS][index % VECTOR_KEYS];
}

fn count_of(are: vec4<bool>) -> u32 {
  let ones = select(vec4<u32>(), vec4<u32>(1u), are);
  return ones.x + ones.y + ones.z + ones.w;
}

// How many keys are less than a key, how many are not greater, and how many come before the item with the key and this index.
fn keys_before(keys: vec4<u32>, key: Key) -> u32 {
  return count_of(keys < vec4<u32>(key));
}

fn keys_up_to(keys: vec4<u32>, key: Key) -> u32 {
  return count_of(keys <= vec4<u32>(key));
}

fn keys_around(keys: vec4<u32>, key: Key, first: u32, index: u32) -> u32 {
  let earlier = vec4<u32>(first, first + 1u, first + 2u, first + 3u) < vec4<u32>(index);
  return count_of((keys < vec4<u32>(key)) | (earlier & (keys == vec4<u32>(key))));
}
