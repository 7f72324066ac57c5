// The input and the output are ranges of one buffer: the same range, or ranges that do not overlap.
// If a dispatch writes a buffer, WebGPU lets it bind that buffer only once. So one binding spans both ranges.
// A vector is one item.

@group(0) @binding(2) var<storage, read_write> output: array<Input>;

fn read_item(index: u32) -> Input {
  return output[call.input_base + index];
}

fn read_vector(vector: u32) -> InputVector {
  return read_item(vector);
}

fn read_end_item(index: u32) -> Input {
  return read_item(index);
}

fn write_item(index: u32, item: Output) {
  output[call.output_base + index] = item;
}

fn read_output_vector(vector: u32) -> OutputVector {
  return output[call.output_base + vector];
}

fn write_vector(vector: u32, items: OutputVector) {
  write_item(vector, items);
}

fn write_end_item(index: u32, item: Output) {
  write_item(index, item);
}
