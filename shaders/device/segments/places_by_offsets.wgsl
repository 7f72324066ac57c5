// Segments are given by offsets, so some may have no item, and the number among those that have items is not the place.
// Linked with totals.wgsl and offsets.wgsl. No work-group memory.
// replaces: place_of_segment

// The place of the segment that ends with the item, or one past the last place if there is none. If no segment before it is
// empty, the place is the number. Otherwise it is found by halves: of the segments that end there, only the first one has
// items.
fn place_of_segment(last: u32, number: u32, length: u32) -> u32 {
  if (is_last_of(last, number, length)) {
    return number;
  }
  let place = segment_up_from(last, length);
  // Before the first offset, items are in no segment.
  return select(call.segment_count, place, is_last_of(last, place, length));
}

// Whether a segment has items, and ends with the item.
fn is_last_of(last: u32, segment: u32, length: u32) -> bool {
  return segment < call.segment_count && offset_at(segment, length) <= last && offset_at(segment + 1u, length) == last + 1u;
}
