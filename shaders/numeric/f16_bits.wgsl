// An f16 and its bits, in the lower half of a word. Threads call these anywhere; no work-group memory.

enable f16;

fn bits_from_f16(value: f16) -> u32 {
  return bitcast<u32>(vec2<f16>(value, 0.0h)) & 0xffffu;
}

fn f16_from_bits(bits: u32) -> f16 {
  return bitcast<vec2<f16>>(bits).x;
}
