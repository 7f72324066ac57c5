// Segment n has the items from offsets[n] up to, and not with, offsets[n + 1]. An offset past the end of the data counts as the end.
// Call from any control flow. No work-group memory.

@group(0) @binding(16) var<storage, read> offsets: array<u32>;

// Where a segment starts, and where it ends.
fn span_of_segment(segment: u32, length: u32) -> vec2<u32> {
  return vec2<u32>(
    min(offsets[params.offsets_base + segment], length),
    min(offsets[params.offsets_base + segment + 1u], length),
  );
}

// How many offsets an item has behind it, or at it. So items before the first offset, those of each segment, and those from the
// last offset on have a number each. It is found by halves.
fn segment_of(index: u32, length: u32) -> u32 {
  var low = 0u;
  var high = params.segment_count + 1u;
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (offsets[params.offsets_base + middle] <= index) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low;
}
