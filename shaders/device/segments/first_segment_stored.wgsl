// The first segment that ends behind a tile's first item, as find_first_segments.wgsl stored it.
// Linked with reduce_offsets.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(14) var<storage, read> first_segments: array<u32>;

fn first_segment_of(tile: u32, length: u32) -> u32 {
  return min(first_segments[tile], call.segment_count);
}
