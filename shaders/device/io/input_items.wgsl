// The input is a range of its own buffer, and may start at any item. A vector is one item.

@group(0) @binding(1) var<storage, read> input: array<Input>;

fn read_item(index: u32) -> Input {
  return input[call.input_base + index];
}

fn read_vector(vector: u32) -> InputVector {
  return read_item(vector);
}

fn read_end_item(index: u32) -> Input {
  return read_item(index);
}
