// The items that a partition has not kept are copied.
// Linked with length_*.wgsl.

@group(0) @binding(5) var<storage, read> count_buffer: array<u32>;

fn items_to_copy() -> u32 {
  return data_length() - count_buffer[call.count_base];
}
