// Prefixes of f32 in two words around the highest bits of the sums of a thread's run, while these have the sign that the run starts
// with. Bits below these words are left out, so a sum may be up to ITEMS + 1 units too low. Where all that it may be rounds to the
// same float, that is the prefix. Otherwise, and where a sum is near zero, the thread takes a slower way.
// Linked with scan.wgsl and fixed_float.wgsl. Call from any control flow. No work-group memory.

// Stores the prefixes of a thread's items, or returns false.
fn store_swift(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32, highest: u32) -> bool {
  const ROOM = 32u - countLeadingZeros(ITEMS - 1u);
  var own = start;
  let sign = sign_of(own[2]);
  // The magnitude of the start. If there are bits below a negative one, it is the next lower one.
  var carry = select(0u, sign & 1u, rest == 0u);
  let first = (own[0] ^ sign) + carry;
  carry &= select(0u, 1u, first == 0u);
  let second = (own[1] ^ sign) + carry;
  carry &= select(0u, 1u, second == 0u);
  let third = (own[2] ^ sign) + carry;
  let lead = select(select(32u - countLeadingZeros(first), 64u - countLeadingZeros(second), second != 0u), 96u - countLeadingZeros(third), third != 0u);
  let end = max(lead, place_of_key(highest) - base + EXACT_FRACTION + 1u + ROOM) + 1u;
  // The highest bit goes next to the highest place, to the right or to the left.
  let below = max(end, 63u) - 63u;
  let bit = below & 31u;
  let is_far = below > 31u;
  let low = select(first, second, is_far);
  let middle = select(second, third, is_far);
  let high = select(third, 0u, is_far);
  var sum = vec2<u32>((low >> bit) | ((middle << 1u) << (31u - bit)), (middle >> bit) | ((high << 1u) << (31u - bit)));
  let above = 63u - min(end, 63u);
  if (above != 0u) {
    let up = above & 31u;
    sum = select(vec2<u32>(first << up, (second << up) | ((first >> 1u) >> (31u - up))), vec2<u32>(0u, first << up), above > 31u);
  }
  return store_run(items, thread, tile, length, sum, base + below - above, rest | below, sign);
}

// `start` is the magnitude of what comes before the run, from the place `base` on, which may be negative, and `rest` says whether there
// may be bits below it.
fn store_run(items: Items, thread: u32, tile: u32, length: u32, start: vec2<u32>, base: u32, rest: u32, sign: u32) -> bool {
  // The least high word of a sum, whose half then has bits below it.
  const LEAST = 1u << 25u;
  var own = items.bits;
  var outputs: array<Output, ITEMS>;
  var sum = start;
  let flip = sign & 0x80000000u;
  let exponents = ((base + 9u) << 23u) + flip;
  var widest = 0u;
  var nearest = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let earlier = sum;
    let bits = own[item] ^ flip;
    let mask = sign_of(bits);
    let value = bits & 0x7fffffffu;
    let exponent = max(value >> 23u, 1u);
    let significand = value + 0x800000u - (exponent << 23u);
    // The significand from the highest bit on, and how far it goes to the right.
    let far = bitcast<i32>(((significand ^ mask) - mask) << 7u);
    let right = min(base + 40u - exponent, 63u);
    let shifted = bitcast<u32>(far >> (right & 31u));
    let rests = (bitcast<u32>(far) << 1u) << (~right & 31u);
    let is_low = right > 31u;
    let added_high = select(shifted, bitcast<u32>(far >> 31u), is_low);
    let added_low = select(rests, shifted, is_low);
    let partial = sum.x + added_low;
    sum = vec2<u32>(partial, sum.y + added_high + select(0u, 1u, partial < added_low));
    let prefix = select_near(earlier, sum);
    // Round to nearest even.
    let high = prefix.y;
    widest = max(widest, high - LEAST);
    nearest = max(nearest, prefix.x - 1u);
    let place = firstLeadingBit(high);
    let by = (place - 23u) & 31u;
    let is_even = ~(high >> by) & 1u;
    let half = 1u << ((place - 24u) & 31u);
    let rounded = ((high | min(prefix.x, 1u)) + half - is_even) >> by;
    outputs[item] = output_from_float((place << 23u) + rounded + exponents);
  }
  // The greatest sum is finite, the least is not subnormal, no sum left these words, and none is near the middle of two floats.
  if (base + 34u > 247u || widest >= 0x80000000u - LEAST || (rest != 0u && nearest >= 0xffffff00u)) {
    return false;
  }
  store_outputs(outputs, thread, tile, length);
  return true;
}
