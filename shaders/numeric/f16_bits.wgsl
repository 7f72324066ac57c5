// An f16 and its bits, in the lower half of a word. Threads call these anywhere; no work-group memory.
// They are converted by way of f32, which holds every f16 exactly, since naga has no bitcast between f16 and u32.

enable f16;

fn bits_from_f16(value: f16) -> u32 {
  return pack2x16float(vec2<f32>(f32(value), 0.0));
}

fn f16_from_bits(bits: u32) -> f16 {
  return f16(unpack2x16float(bits).x);
}
