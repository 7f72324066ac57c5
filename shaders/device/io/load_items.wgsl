// Loads the items that one thread of a tile takes, as elements, a vector at a time.
// Linked with contract.wgsl, portable.wgsl or subgroup.wgsl, and an input.
// Call from any control flow. No work-group memory.

// Items past the end of the data become the identity.
fn load_items(tile: u32, thread: u32, length: u32) -> array<Element, ITEMS> {
  var elements: array<Element, ITEMS>;
  if ((tile + 1u) * TILE <= min(length, call.wide_length)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = vector_of(tile, thread, vector);
      var items = input_items(read_vector(place));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        elements[vector * VECTOR + item] = element_from_item(items[item], place * VECTOR + item);
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = vector_of(tile, thread, vector);
      var items = read_edge(place, length);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        elements[vector * VECTOR + item] = identity();
        if (place * VECTOR + item < length) {
          elements[vector * VECTOR + item] = element_from_item(items[item], place * VECTOR + item);
        }
      }
    }
  }
  return elements;
}
