// Segments with gaps: segment n has the items from its begin up to, and not with, its end, and the items between two segments are in none.
// The segments and the gaps take turns, as if offsets gave them: an even place is where a segment begins, and the odd one after it is where it
// ends. call.segment_count counts both, and what is behind the last end is the last gap.
// Linked with offsets.wgsl, whose range has the begins. Call from any control flow. No work-group memory.
// replaces: offset_at

@group(0) @binding(20) var<storage, read> ends: array<u32>;

// A place past the end of the data counts as the end.
fn offset_at(place: u32, length: u32) -> u32 {
  if (place >= call.segment_count) {
    return length;
  }
  if (place % 2u == 0u) {
    return min(offsets[call.offsets_base + place / 2u], length);
  }
  return min(ends[call.ends_base + place / 2u], length);
}
