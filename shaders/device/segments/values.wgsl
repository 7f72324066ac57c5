// The values of segments' items without their heads. So a thread holds a word for each item, and not an element of two.
// A tile's total is what is open at the tile's end. So if a segment ends in a tile, a look-back needs nothing of the tiles before it.
// Linked with contract.wgsl, element.wgsl, subgroup.wgsl, look_back_votes.wgsl, load_items.wgsl, an input, and a kernel that declares
// place_of_vector. All subgroups are full, with at most 32 lanes. Call from any control flow, but first_needed where control flow is
// uniform. No work-group memory.
// replaces: first_needed

// The values of the thread's items.
fn load_values(tile: u32, thread: u32, length: u32) -> array<SegmentValue, ITEMS> {
  var values: array<SegmentValue, ITEMS>;
  if ((tile + 1u) * TILE <= min(length, params.wide_length)) {
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

// The last of a group's tiles that is there and in which a segment ends, or the first tile.
fn first_needed(found: Entry, member: u32, tiles: u32) -> u32 {
  let ends = subgroupBallot(found.is_whole && member < tiles && found.element.heads > 0u).x;
  return select(firstLeadingBit(ends), 0u, ends == 0u);
}
