// The bits of a vector's items, each by way of its element.
// Linked with an input, and float_items.wgsl or double_items.wgsl. Call from any control flow. No work-group memory.

fn bits_of_vector(vector: InputVector, place: u32) -> array<FloatBits, VECTOR> {
  var items = input_items(vector);
  var bits: array<FloatBits, VECTOR>;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    bits[item] = float_from_element(element_from_item(items[item], place * VECTOR + item));
  }
  return bits;
}
