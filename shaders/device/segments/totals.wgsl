// Stores the total of a segment when its last item is stored. The total of the segment with the number n, counted from 0,
// goes to place n of the output. A total that has no place in the output is not stored. The key of a run is that of its first item. It
// is stored when the item before it is, which is the last one of its segment.
// Linked with element.wgsl, an output of single items, and store_totals.wgsl. Call from any control flow. No work-group memory.

// Takes the inclusive prefix of an item.
fn store_if_last(index: u32, length: u32, prefix: Element) {
  if (is_last_of_segment(index, length)) {
    store_total_of_segment(index, length, prefix);
  }
}

fn is_last_of_segment(index: u32, length: u32) -> bool {
  return index < length && (index + 1u == length || head_at(index + 1u) != 0u);
}

// Takes the inclusive prefix of the last item of a segment.
fn store_total_of_segment(last: u32, length: u32, prefix: Element) {
  let place = place_of_segment(last, prefix.heads - 1u, length);
  if (place < call.room) {
    write_item(place, item_from_element(prefix));
  }
  store_key(last + 1u, prefix.heads, length);
}

// Stores the key of the first item of all, which no item comes before.
fn store_key_of_first(length: u32) {
  if (length > 0u) {
    store_key(0u, 0u, length);
  }
}

// The place of the segment that an item is the last one of. The segments that have items are numbered from 0.
fn place_of_segment(last: u32, number: u32, length: u32) -> u32 {
  return number;
}

// Stores the key of the segment that starts at an index, if segments have keys and these are asked for. Takes the segment's number.
fn store_key(first: u32, number: u32, length: u32) {
}
