// The input is a whole buffer of whole vectors. Padding follows the last item, so no item is read on its own, and this
// read_edge is shorter than that of edges.wgsl.

@group(0) @binding(1) var<storage, read> input: array<InputVector>;

fn read_vector(vector: u32) -> InputVector {
  return input[vector];
}

fn read_edge(vector: u32, length: u32) -> array<Input, VECTOR> {
  var items: array<Input, VECTOR>;
  if (vector * VECTOR < length) {
    items = input_items(read_vector(vector));
  }
  return items;
}
