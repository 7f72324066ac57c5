// CUB's BlockRadixSort: a stable sort of the keys of a tile, of which each thread has ITEMS.
// The arrangement is blocked, before and after: thread t has the items t * ITEMS … t * ITEMS + ITEMS - 1.
// Linked after sort_bits.wgsl, with bits_from_key and key_from_bits.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index), and with the same count in all threads.
// Each thread gets the keys that come to its own places.
// Work-group memory: that of sort_places.wgsl.

fn work_group_sort_value(keys: ptr<function, array<Value, ITEMS>>, local_index: u32) {
  work_group_sort_value_partial(keys, TILE, local_index);
}

// Sorts the first `count` keys of the tile. The others stay as they are.
fn work_group_sort_value_partial(keys: ptr<function, array<Value, ITEMS>>, count: u32, local_index: u32) {
  var low: array<u32, ITEMS>;
  var high: array<u32, ITEMS>;
  var indices: array<u32, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let bits = bits_from_key((*keys)[item]);
    low[item] = bits.x;
    high[item] = bits.y;
  }
  sort_bits(&low, &high, &indices, count, local_index);
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (local_index * ITEMS + item < count) {
      (*keys)[item] = key_from_bits(vec2<u32>(low[item], high[item]));
    }
  }
}
