// The output is a range of its own buffer, and may start at any item. A vector is one item.

@group(0) @binding(2) var<storage, read_write> output: array<Output>;

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
