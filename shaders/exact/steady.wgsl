// The highest bits of what comes before a thread's run: what steady_float.wgsl and steady_double.wgsl start from.
// Linked with fixed.wgsl. Call from any control flow. No work-group memory.

struct Magnitude {
  // The magnitude from the highest bit on, which is the first of `top`. If that is not set, the sum is zero.
  top: u32,
  middle: u32,
  low: u32,
  // The highest bit's place in the whole sum.
  place: u32,
}

// If there are bits below a negative start, it is the magnitude of the next lower one.
fn magnitude_of(start: Fixed, rest: u32, base: u32) -> Magnitude {
  var own = start;
  let sign = sign_of(own[FIXED_WORDS - 1u]);
  var carry = select(0u, sign & 1u, rest == 0u);
  for (var word = 0u; word < FIXED_WORDS; word++) { // unroll
    own[word] = (own[word] ^ sign) + carry;
    carry &= select(0u, 1u, own[word] == 0u);
  }
  var top = own[FIXED_WORDS - 1u];
  var middle = own[FIXED_WORDS - 2u];
  var low = own[FIXED_WORDS - 3u];
  var lowest = select(0u, own[max(FIXED_WORDS, 4u) - 4u], FIXED_WORDS > 3u);
  var place = base + 32u * FIXED_WORDS - 1u;
  // Words come in from below as long as the highest is zero.
  for (var word = 1u; word < FIXED_WORDS; word++) { // unroll
    let is_zero = top == 0u;
    let next = select(0u, own[FIXED_WORDS - 1u - min(word + 3u, FIXED_WORDS - 1u)], word + 3u < FIXED_WORDS);
    top = select(top, middle, is_zero);
    middle = select(middle, low, is_zero);
    low = select(low, lowest, is_zero);
    lowest = select(lowest, next, is_zero);
    place = select(place, place - 32u, is_zero);
  }
  let zeros = min(countLeadingZeros(top), 31u);
  return Magnitude(
    (top << zeros) | ((middle >> 1u) >> (31u - zeros)),
    (middle << zeros) | ((low >> 1u) >> (31u - zeros)),
    (low << zeros) | ((lowest >> 1u) >> (31u - zeros)),
    place - zeros,
  );
}
