// A buffer has the length. The kernel takes at most the items that it was dispatched for. If the data goes in windows, the
// windows before have the first items.

@group(0) @binding(8) var<storage, read> length_buffer: array<u32>;

fn data_length() -> u32 {
  let length = length_buffer[call.length_buffer_base];
  return min(length - min(length, call.length_before), call.length);
}
