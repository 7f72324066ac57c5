// A buffer has the length. The kernel takes at most the items that it was dispatched for.

@group(0) @binding(8) var<storage, read> length_buffer: array<u32>;

fn data_length() -> u32 {
  return min(length_buffer[params.length_base], params.length);
}
