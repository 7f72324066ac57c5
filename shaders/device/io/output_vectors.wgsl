// The output is a range of its own buffer, and starts at a vector. It has two bindings that do not overlap: vectors for the
// first call.wide_length items, and single items for the rest, since the last bytes of a range may not fill a vector.

@group(0) @binding(2) var<storage, read_write> output: array<OutputVector>;
@group(0) @binding(7) var<storage, read_write> output_end: array<Output>;

fn read_output_vector(vector: u32) -> OutputVector {
  return output[call.output_base + vector];
}

fn write_vector(vector: u32, items: OutputVector) {
  output[call.output_base + vector] = items;
}

fn write_end_item(index: u32, item: Output) {
  output_end[call.output_end_base + index - call.wide_length] = item;
}
