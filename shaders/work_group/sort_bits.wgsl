// A stable radix sort of a tile's keys by the bits SORT_FROM … SORT_TO - 1 of their order, the least significant digit first.
// A key travels as its own bits, since several NaN have one place in the order.
// Linked after sort_places.wgsl, with sort_order, which makes of a key's bits an unsigned integer (low word, high word) in the
// order of keys.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets the keys that come to its own places.
// Work-group memory: that of sort_places.wgsl.

// The digit at a bit of the order. The last digit may have fewer bits than the others.
fn sort_digit(order: vec2<u32>, bit: u32) -> u32 {
  var word = order.y >> (bit % 32u);
  if (bit < 32u) {
    // In two steps, since WGSL does not shift by 32.
    word = (order.x >> bit) | ((order.y << 1u) << (31u - bit));
  }
  return extractBits(word, 0u, min(SORT_DIGIT, SORT_TO - bit));
}

// `indices` is any word that goes with each key, if SORT_PAIRS is true. `high` is used if SORT_WIDE is true.
fn sort_bits(
  low: ptr<function, array<u32, ITEMS>>,
  high: ptr<function, array<u32, ITEMS>>,
  indices: ptr<function, array<u32, ITEMS>>,
  count: u32,
  local_index: u32,
) {
  for (var bit = SORT_FROM; bit < SORT_TO; bit += SORT_DIGIT) {
    var places: array<u32, ITEMS>;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      places[item] = sort_digit(sort_order(vec2<u32>((*low)[item], (*high)[item])), bit);
    }
    sort_places(&places, count, local_index);
    sort_move(low, &places, local_index);
    if (SORT_WIDE) {
      sort_move(high, &places, local_index);
    }
    if (SORT_PAIRS) {
      sort_move(indices, &places, local_index);
    }
  }
}
