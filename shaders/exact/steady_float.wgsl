// Prefixes of f32 whose highest bit has the same place over a thread's run. They are in two digits: 24 bits, which a prefix has, and 26
// bits to round by. Bits below these digits are left out. Where what is left out may decide, and where the highest bit moves, the
// thread takes a slower way. Each product and each difference is exact, and conversions to integers cut off what is below them.
// Linked with scan.wgsl, fixed_float.wgsl and steady.wgsl. Call from any control flow. No work-group memory.

const_assert ITEMS <= 30u;

// Stores the prefixes of a thread's items, or returns false.
fn store_swift(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32, highest: u32) -> bool {
  // Bits that are left out are less than one unit of the start, and of each item, to either side. If fixed point ends above these digits,
  // the start lacks less than one unit of that, but half of a prefix's last place is a multiple of it.
  const LACKS = ITEMS + 2u;
  const HALF = 1u << 25u;
  const TAIL = (1u << 26u) - 1u;
  const HIGHEST = 1u << 23u;
  let before = magnitude_of(start, rest, base);
  let place = before.place;
  // The prefixes are finite, subnormal items are below the digits, and no item has the highest bit's place.
  if (before.top < 0x80000000u || place < 72u || place > 270u || place < (highest >> 23u) + 23u) {
    return false;
  }
  var own_start = start;
  let sign = own_start[FIXED_WORDS - 1u] & 0x80000000u;
  let scale = bitcast<f32>(((299u - place) << 23u) | sign);
  let exponents = ((place - 23u) << 23u) + sign;
  var sum = bitcast<vec2<i32>>(vec2<u32>(((before.top & 0xffu) << 18u) | (before.middle >> 14u), before.top >> 8u));
  var own = items.bits;
  var outputs: array<Output, ITEMS>;
  var changed = 0u;
  var nearest = 0xffffffffu;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let earlier = sum;
    let scaled = bitcast<f32>(own[item]) * scale;
    let whole = i32(scaled);
    sum += vec2<i32>(i32((scaled - f32(whole)) * 0x1p+26f), whole);
    let prefix = select_steady(earlier, sum);
    let tail = bitcast<u32>(prefix.x) & TAIL;
    let upper = bitcast<u32>(prefix.y + (prefix.x >> 26u));
    changed |= upper ^ HIGHEST;
    nearest = min(nearest, tail - (HALF - LACKS));
    // A tie is near the half, too.
    outputs[item] = output_from_float(upper + (tail >> 25u) + exponents);
  }
  if (changed >= HIGHEST || nearest <= 2u * LACKS) {
    return false;
  }
  store_outputs(outputs, thread, tile, length);
  return true;
}
