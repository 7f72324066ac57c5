// The input and the output are ranges of different buffers.

@group(0) @binding(1) var<storage, read> input: array<Input>;
@group(0) @binding(2) var<storage, read_write> output: array<Output>;

fn read_item(index: u32) -> Input {
  return input[params.input_base + index];
}

fn write_item(index: u32, item: Output) {
  output[params.output_base + index] = item;
}
