// Keys of two words, the low word first. Linked with order.wgsl. Call from any control flow. No work-group memory.
// replaces: are_in_order

fn are_in_order(earlier: Key, later: Key) -> bool {
  let others = 64u - min(64u, (params.digit + 1u) * DIGIT_BITS);
  if (others >= 32u) {
    return (earlier.x << (others - 32u)) <= (later.x << (others - 32u));
  }
  // Two shifts, since WGSL has none by 32 bits.
  let earlier_high = (earlier.y << others) | ((earlier.x >> 1u) >> (31u - others));
  let later_high = (later.y << others) | ((later.x >> 1u) >> (31u - others));
  return earlier_high < later_high ||
    (earlier_high == later_high && (earlier.x << others) <= (later.x << others));
}
