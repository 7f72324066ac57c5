// The input is a buffer of whole vectors, from its start: what lies past the last item is padding. So no item has to be
// reached on its own, and the edge of load_items.wgsl is as short as this.
// replaces: read_edge

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
