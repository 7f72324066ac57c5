// Prefixes of f64 in three words, as swift_float.wgsl has those of f32 in two.
// Linked with prefixes.wgsl and fixed_double.wgsl. Call from any control flow. No work-group memory.

// Stores the prefixes of a thread's items, or returns false.
fn store_swift(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32, highest: u32) -> bool {
  const ROOM = 32u - countLeadingZeros(ITEMS - 1u);
  // The least high word of a sum, whose half then is in the middle word.
  const LEAST = 1u << 25u;
  var given = start;
  let sign = sign_of(given[FIXED_WORDS - 1u]);
  // The magnitude of the start. If there are bits below a negative one, it is the next lower one.
  var carry = select(0u, sign & 1u, rest == 0u);
  var lead = 0u;
  for (var word = 0u; word < FIXED_WORDS; word++) { // unroll
    let magnitude = (given[word] ^ sign) + carry;
    carry &= select(0u, 1u, magnitude == 0u);
    given[word] = magnitude;
    lead = select(lead, 32u * word + 32u - countLeadingZeros(magnitude), magnitude != 0u);
  }
  let end = max(lead, place_of_key(highest) - base + EXACT_FRACTION + 1u + ROOM) + 1u;
  let below = max(end, 95u) - 95u;
  let bit = below & 31u;
  let is_second = below > 31u;
  let is_third = below > 63u;
  let a = select(select(given[0], given[1], is_second), given[2], is_third);
  let b = select(select(given[1], given[2], is_second), given[3], is_third);
  let c = select(select(given[2], given[3], is_second), given[4], is_third);
  let d = select(select(given[3], given[4], is_second), 0u, is_third);
  var low = (a >> bit) | ((b << 1u) << (31u - bit));
  var middle = (b >> bit) | ((c << 1u) << (31u - bit));
  var high = (c >> bit) | ((d << 1u) << (31u - bit));
  // Or to the left. The lowest place may then be negative.
  let up = 95u - min(end, 95u);
  if (up != 0u) {
    let by = up & 31u;
    let is_one_up = up > 31u;
    let is_two_up = up > 63u;
    low = select(given[0], 0u, is_one_up);
    middle = select(select(given[1], given[0], is_one_up), 0u, is_two_up);
    high = select(select(given[2], given[1], is_one_up), given[0], is_two_up);
    high = (high << by) | ((middle >> 1u) >> (31u - by));
    middle = (middle << by) | ((low >> 1u) >> (31u - by));
    low <<= by;
  }
  let start_place = base + below - up;
  let has_rest = rest | below;
  let flip = sign & 0x80000000u;
  let exponents = ((start_place + 12u) << 20u) + flip;
  var own = items.bits;
  var outputs: array<FloatBits, ITEMS>;
  var widest = 0u;
  var nearest = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let earlier = vec3<u32>(low, middle, high);
    let top = own[item].y ^ flip;
    let mask = sign_of(top);
    let value = top & 0x7fffffffu;
    let exponent = max(value >> 20u, 1u);
    let own_low = (own[item].x ^ mask) - mask;
    let own_high = ((value + 0x100000u - (exponent << 20u)) ^ mask) + select(0u, mask & 1u, own_low == 0u);
    // The significand from the highest bit on, and how far it goes to the right.
    let far_high = (own_high << 9u) | (own_low >> 23u);
    let far_low = own_low << 9u;
    let right = min(start_place + 42u - exponent, 95u);
    let by = right & 31u;
    let first = bitcast<u32>(bitcast<i32>(far_high) >> by);
    let second = (far_low >> by) | ((far_high << 1u) << (31u - by));
    let third = (far_low << 1u) << (31u - by);
    let above = sign_of(far_high);
    let is_one_down = right > 31u;
    let is_two_down = right > 63u;
    let added_low = select(select(third, second, is_one_down), first, is_two_down);
    let added_middle = select(select(second, first, is_one_down), above, is_two_down);
    let added_high = select(first, above, is_one_down);
    low += added_low;
    let carried = select(0u, 1u, low < added_low);
    let partial = middle + added_middle;
    middle = partial + carried;
    high += added_high + (select(0u, 1u, partial < added_middle) | select(0u, 1u, middle < carried));
    let prefix = select_three(earlier, vec3<u32>(low, middle, high));
    // Round to nearest even.
    widest = max(widest, prefix.z - LEAST);
    nearest = max(nearest, prefix.x - 1u);
    let place = firstLeadingBit(prefix.z);
    let unit = (place - 20u) & 31u;
    let added = (1u << ((place - 21u) & 31u)) - (~(prefix.y >> unit) & 1u);
    let sum_low = (prefix.y | min(prefix.x, 1u)) + added;
    let sum_high = prefix.z + select(0u, 1u, sum_low < added);
    outputs[item] = vec2<u32>(
      (sum_low >> unit) | (sum_high << ((52u - place) & 31u)),
      (place << 20u) + (sum_high >> unit) + exponents,
    );
  }
  if (start_place + 37u > 2037u || widest >= 0x80000000u - LEAST || (has_rest != 0u && nearest >= 0xffffff00u)) {
    return false;
  }
  store_bits(outputs, thread, tile, length);
  return true;
}
