// The values of segments' items without their heads. So a thread holds a word for each item, and not an element of two.
// Linked with contract.wgsl, element.wgsl, subgroup.wgsl, an input, and scan_flat_segments.wgsl or reduce_offsets.wgsl, which says where a
// thread's vectors are. Call from any control flow. No work-group memory.

// The values of the thread's items.
fn load_values(tile: u32, thread: u32, length: u32) -> array<SegmentValue, ITEMS> {
  var values: array<SegmentValue, ITEMS>;
  if ((tile + 1u) * TILE <= min(length, call.wide_length)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = place_of_vector(tile, thread, vector);
      var items = input_items(read_vector(place));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        values[vector * VECTOR + item] = headless_from_item(items[item], place * VECTOR + item).value;
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var items = load_edge(place_of_vector(tile, thread, vector), length);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        values[vector * VECTOR + item] = items[item];
      }
    }
  }
  return values;
}

// The values of a vector that may reach past the end of the data.
fn load_edge(place: u32, length: u32) -> array<SegmentValue, VECTOR> {
  var values: array<SegmentValue, VECTOR>;
  var items = read_edge(place, length);
  for (var item = 0u; item < VECTOR; item++) { // unroll
    values[item] = value_identity();
    if (place * VECTOR + item < length) {
      values[item] = headless_from_item(items[item], place * VECTOR + item).value;
    }
  }
  return values;
}
