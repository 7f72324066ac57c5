// As many items are copied as a compaction has kept.
// Linked with copy_items.wgsl.

@group(0) @binding(5) var<storage, read> count_buffer: array<u32>;

fn items_to_copy() -> u32 {
  return min(call.length, count_buffer[call.count_base]);
}
