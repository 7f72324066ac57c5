// A vector of outputs that have these bits.
// Linked with an output. Generated code declares output_from_float. Call from any control flow. No work-group memory.

fn vector_of_bits(bits: array<FloatBits, VECTOR>) -> OutputVector {
  var own = bits;
  var outputs: array<Output, VECTOR>;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    outputs[item] = output_from_float(own[item]);
  }
  return output_vector(outputs);
}
