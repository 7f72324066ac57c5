// A vector of eight f16 of these bits, which is bound as words: no f16 is converted to f32 and back.
// Linked with an output of f16. Call from any control flow. No work-group memory.
// replaces: OutputVector, output_items, output_vector

alias OutputVector = vec4<u32>;

fn vector_of_bits(bits: array<FloatBits, VECTOR>) -> OutputVector {
  var own = bits;
  return vec4<u32>(
    own[0] | (own[1] << 16u),
    own[2] | (own[3] << 16u),
    own[4] | (own[5] << 16u),
    own[6] | (own[7] << 16u),
  );
}

fn output_items(vector: OutputVector) -> array<Output, VECTOR> {
  var items: array<Output, VECTOR>;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    items[item] = f16_from_bits((vector[item / 2u] >> (16u * (item & 1u))) & 0xffffu);
  }
  return items;
}

fn output_vector(items: array<Output, VECTOR>) -> OutputVector {
  var own = items;
  var bits: array<FloatBits, VECTOR>;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    bits[item] = bits_from_f16(own[item]);
  }
  return vector_of_bits(bits);
}
