// Segment n has the items from its begin up to, and not with, its end. Items between two segments are in none.
// Linked with segments/parts.wgsl. Call from any control flow. No work-group memory.

// Where a segment starts, and where it ends.
fn span_of_segment(segment: u32, length: u32) -> vec2<u32> {
  return vec2<u32>(begin_of(segment, length), end_of(segment, length));
}

// The items of a segment have the index of its first item. An item in a gap has its own index, so it stays where it is.
fn segment_of(index: u32, length: u32) -> u32 {
  let part = part_of(index, length);
  if (part.number % 2u == 0u) {
    return index;
  }
  return begin_of(part.number / 2u, length);
}
