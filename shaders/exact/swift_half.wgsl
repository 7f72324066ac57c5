// Prefixes of f16 in one word around the highest bits of the
// sums of a thread's run, while these have the sign that the run starts with. Bits below this word are left out. Where all that a
// sum may be rounds to the same float, that is the prefix. Otherwise, and where a sum is near zero, the thread takes a slower way.
// Linked with prefixes.wgsl, half_run.wgsl and fixed_float.wgsl. Call from any control flow. No work-group memory.

// Stores the prefixes of a thread's items, or returns false.
fn store_swift(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32, highest: u32) -> bool {
  const ROOM = 32u - countLeadingZeros(ITEMS - 1u);
  // The least word of a sum, whose half then has bits below it.
  const LEAST = 1u << 20u;
  var own = items.bits;
  var given = start;
  let sign = sign_of(given[1]);
  let first = (given[0] ^ sign) + (sign & 1u);
  let second = (given[1] ^ sign) + select(0u, sign & 1u, first == 0u);
  let lead = select(32u - countLeadingZeros(first), 64u - countLeadingZeros(second), second != 0u);
  let end = max(lead, (highest >> 10u) + 11u + ROOM) + 1u;
  // The highest bit goes next to the highest place, to the right or to the left. The lowest place may then be negative.
  let cut = max(end, 31u) - 31u;
  let bit = cut & 31u;
  let above = 31u - min(end, 31u);
  let low = select((first >> bit) | ((second << 1u) << (31u - bit)), second >> bit, cut > 31u) << above;
  let below = cut - above;
  let is_cut = cut != 0u;
  // The start lacks less than a unit. Each item lacks less than one, or has as much too much if its sign was turned.
  const UNITS = ITEMS + 1u;
  let least_lack = select(0u, 0u - UNITS, is_cut && sign != 0u);
  let most_lack = select(0u, select(UNITS, 1u, sign != 0u), is_cut);
  let no_ties = select(0u, 1u, is_cut);
  let turn = bitcast<i32>(sign | 1u);
  let exponents = (below - 10u) << 10u;
  let flip = sign & 0x8000u;
  var outputs: array<FloatBits, ITEMS>;
  var sum = low;
  var widest = 0u;
  var differing = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let earlier = sum;
    let parts = half_of(own[item]);
    let shifted = bitcast<i32>(parts.significand << 20u) >> min(below + 21u - parts.exponent, 31u);
    sum += bitcast<u32>(shifted * turn);
    let prefix = select_word(earlier, sum);
    widest = max(widest, prefix - LEAST);
    let place = firstLeadingBit(prefix);
    let by = (place - 10u) & 31u;
    let half = prefix + (1u << ((place - 11u) & 31u));
    let is_even = (~(prefix >> by) | no_ties) & 1u;
    let rounded = (half + least_lack - is_even) >> by;
    differing |= rounded ^ ((half + most_lack - is_even) >> by);
    outputs[item] = min((place << 10u) + rounded + exponents, 0x7c00u) | flip;
  }
  // The least sum is not subnormal.
  if (below + 10u > 50u || widest >= 0x80000000u - LEAST || differing != 0u) {
    return false;
  }
  store_bits(outputs, thread, tile, length);
  return true;
}
