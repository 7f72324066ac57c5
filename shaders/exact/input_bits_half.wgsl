// The bits of a vector of eight f16, which is bound as words: no f16 is converted to f32 and back.
// Linked with an input of f16 that go through no map. Call from any control flow. No work-group memory.
// replaces: InputVector, input_items

alias InputVector = vec4<u32>;

fn bits_of_vector(vector: InputVector, place: u32) -> array<FloatBits, VECTOR> {
  var bits: array<FloatBits, VECTOR>;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    bits[item] = (vector[item / 2u] >> (16u * (item & 1u))) & 0xffffu;
  }
  return bits;
}

fn input_items(vector: InputVector) -> array<Input, VECTOR> {
  var bits = bits_of_vector(vector, 0u);
  var items: array<Input, VECTOR>;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    items[item] = f16_from_bits(bits[item]);
  }
  return items;
}
