// Segment n has the items from offsets[n] up to, and not with, offsets[n + 1]. An offset past the end of the data counts as the end.
// Linked with segments/offsets.wgsl. Call from any control flow. No work-group memory.

// Where a segment starts, and where it ends.
fn span_of_segment(segment: u32, length: u32) -> vec2<u32> {
  return vec2<u32>(offset_at(segment, length), offset_at(segment + 1u, length));
}

// How many offsets an item has behind it, or at it. So items before the first offset, those of each segment, and those from the
// last offset on have a number each.
fn segment_of(index: u32, length: u32) -> u32 {
  return offsets_up_to(index, length);
}
