// Adds up a thread's items of f64 in five digits of 26 bits, without carries. It has the function of fixed_run.wgsl.
// Linked with fixed.wgsl and fixed_double.wgsl. Call from any control flow. No work-group memory.

// A digit has 26 bits of each item, and some more for what is carried.
const_assert ITEMS <= 30u;
const_assert FIXED_SPAN <= 77u;
const DIGIT = 0x3ffffffu;

// The sum, and what a thread's items add to it.
fn fixed_add_run(sum: Fixed, bits: array<FloatBits, ITEMS>, base: u32, highest: u32) -> Fixed {
  var own = bits;
  var a = 0i;
  var b = 0i;
  var c = 0i;
  var d = 0i;
  var e = 0i;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let high = own[item].y;
    let exponent = (high >> 20u) & 0x7ffu;
    let hidden = min(exponent, 1u);
    let place = max(exponent, base + 1u) - (base + 1u);
    let is_second = place >= 26u;
    let is_third = place >= 52u;
    let parts = parts_of_double(own[item], hidden, 26u - place + select(select(0u, 26u, is_second), 52u, is_third));
    // The sign, for the digit that the item starts in.
    let sign = (bitcast<i32>(high) >> 31u) | 1;
    let first = select(sign, 0, is_second);
    let third = select(0, sign, is_third);
    let second = sign - first - third;
    a += first * parts.x;
    b += first * parts.y + second * parts.x;
    c += first * parts.z + second * parts.y + third * parts.x;
    d += second * parts.z + third * parts.y;
    e += third * parts.z;
  }
  b += a >> 26u;
  c += b >> 26u;
  d += c >> 26u;
  e += d >> 26u;
  let low = bitcast<vec4<u32>>(vec4<i32>(a, b, c, d)) & vec4<u32>(DIGIT);
  let high = bitcast<u32>(e);
  let all = Fixed(low.x | (low.y << 26u), (low.y >> 6u) | (low.z << 20u), (low.z >> 12u) | (low.w << 14u), (low.w >> 18u) | (high << 8u), bitcast<u32>(e >> 24u));
  return fixed_add(sum, all);
}

// The digits of a significand that starts `right` bits below the end of the lowest one: 1 to 26.
fn parts_of_double(bits: vec2<u32>, hidden: u32, right: u32) -> vec3<i32> {
  let left = 26u - right;
  let upper = (((bits.y & 0xfffffu) | (hidden << 20u)) << 6u) | (bits.x >> 26u);
  let lower = bits.x & DIGIT;
  return bitcast<vec3<i32>>(vec3<u32>((lower << left) & DIGIT, (lower >> right) | ((upper << left) & DIGIT), upper >> right));
}
