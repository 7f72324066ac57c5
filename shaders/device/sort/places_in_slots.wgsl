// A tile has SLOTS slots of SLOT places each, and a segment in each slot.
// Linked with a sort/segments_by_*.wgsl. Call from any control flow. No work-group memory.

const NO_ITEM = 0xffffffffu;

// The item of the data at a place of a tile; NO_ITEM if the segment ends before it.
fn index_of_place(tile: u32, place: u32, length: u32) -> u32 {
  let slot = place / SLOT;
  let segment = tile * SLOTS + slot;
  if (slot >= SLOTS || segment >= call.segment_count) {
    return NO_ITEM;
  }
  let span = span_of_segment(segment, length);
  let index = span.x + place % SLOT;
  return select(NO_ITEM, index, index < span.y);
}
