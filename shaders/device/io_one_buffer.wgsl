// The input and the output are ranges of one buffer: the same range, or ranges that do not overlap.
// WebGPU lets a dispatch bind a buffer that it writes only once, so one binding spans both.

@group(0) @binding(2) var<storage, read_write> data: array<Input>;

fn read_item(index: u32) -> Input {
  return data[params.input_base + index];
}

fn write_item(index: u32, item: Output) {
  data[params.output_base + index] = item;
}
