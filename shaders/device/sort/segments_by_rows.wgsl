// Segments are rows of call.columns items. Call from any control flow. No work-group memory.

// Where a segment starts, and where it ends.
fn span_of_segment(segment: u32, length: u32) -> vec2<u32> {
  let start = segment * call.columns;
  return vec2<u32>(start, min(start + call.columns, length));
}

// The number of the segment that an item is in.
fn segment_of(index: u32, length: u32) -> u32 {
  return index / call.columns;
}
