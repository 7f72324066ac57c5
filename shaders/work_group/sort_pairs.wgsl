// CUB's BlockRadixSort of pairs: a stable sort of a tile by its keys, whose values move with them.
// The arrangement is blocked, before and after: thread t has the items t * ITEMS … t * ITEMS + ITEMS - 1.
// Linked after sort_bits.wgsl and sort_take.wgsl, or sort_take_words.wgsl, with bits_from_key and key_from_bits.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index), and with the same count in all threads.
// Each thread gets the pairs that come to its own places.
// Work-group memory: that of sort_places.wgsl and sort_take.wgsl.
//
// In each pass, a word moves that says where the key was at first. So a value of any size moves once.

fn work_group_sort_pairs_value(
  keys: ptr<function, array<Value, ITEMS>>,
  values: ptr<function, array<Taken, ITEMS>>,
  local_index: u32,
) {
  work_group_sort_pairs_value_partial(keys, values, TILE, local_index);
}

// Sorts the first `count` pairs of the tile. The others stay as they are.
fn work_group_sort_pairs_value_partial(
  keys: ptr<function, array<Value, ITEMS>>,
  values: ptr<function, array<Taken, ITEMS>>,
  count: u32,
  local_index: u32,
) {
  var low: array<u32, ITEMS>;
  var high: array<u32, ITEMS>;
  var indices: array<u32, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let bits = bits_from_key((*keys)[item]);
    low[item] = bits.x;
    high[item] = bits.y;
    indices[item] = local_index * ITEMS + item;
  }
  sort_bits(&low, &high, &indices, count, local_index);
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (local_index * ITEMS + item < count) {
      (*keys)[item] = key_from_bits(vec2<u32>(low[item], high[item]));
    }
  }
  sort_take(values, &indices, local_index);
}
