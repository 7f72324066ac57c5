// The input is a range of its own buffer, and starts at a vector. It has two bindings: vectors for the first
// call.wide_length items, and single items for the rest, since the last bytes of a range may not fill a vector.

@group(0) @binding(1) var<storage, read> input: array<InputVector>;
@group(0) @binding(6) var<storage, read> input_end: array<Input>;

fn read_vector(vector: u32) -> InputVector {
  return input[call.input_base + vector];
}

fn read_end_item(index: u32) -> Input {
  return input_end[call.input_end_base + index - call.wide_length];
}
