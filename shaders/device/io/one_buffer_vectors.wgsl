// The output is the same range as the input, and starts at a vector. It has two bindings that do not overlap: vectors for
// the first call.wide_length items, and single items for the rest, since the last bytes of the range may not fill a
// vector.

@group(0) @binding(2) var<storage, read_write> output: array<InputVector>;
@group(0) @binding(7) var<storage, read_write> output_end: array<Input>;

fn read_vector(vector: u32) -> InputVector {
  return output[call.output_base + vector];
}

fn read_output_vector(vector: u32) -> OutputVector {
  return output[call.output_base + vector];
}

fn write_vector(vector: u32, items: OutputVector) {
  output[call.output_base + vector] = items;
}

fn read_end_item(index: u32) -> Input {
  return output_end[call.output_end_base + index - call.wide_length];
}

fn write_end_item(index: u32, item: Output) {
  output_end[call.output_end_base + index - call.wide_length] = item;
}
