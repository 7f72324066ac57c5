// Segments are given by offsets, so some may have no item, and the number among those that have items is not the place.
// Linked with totals.wgsl and offsets.wgsl. No work-group memory.
// replaces: place_of_segment

// The place of the segment that ends with the item, or one past the last place if there is none. If no segment before it is
// empty, the place is the number. Otherwise it is found by halves: of the segments that end there, only the first one has
// items.
fn place_of_segment(last: u32, number: u32, length: u32) -> u32 {
  let end = last + 1u;
  var low = 0u;
  var high = params.segment_count;
  if (number < high && offset_at(number, length) < end && offset_at(number + 1u, length) == end) {
    return number;
  }
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (offset_at(middle + 1u, length) < end) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  // Before the first offset, items are in no segment.
  if (low < params.segment_count && offset_at(low, length) < end && offset_at(low + 1u, length) == end) {
    return low;
  }
  return params.segment_count;
}
