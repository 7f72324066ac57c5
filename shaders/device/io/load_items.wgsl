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

// Reads a vector that may reach past the end of the data, or past the last vector of the wide binding. A vector that lies past the end is
// not read.
fn read_edge(vector: u32, length: u32) -> array<Input, VECTOR> {
  var items: array<Input, VECTOR>;
  let first = vector * VECTOR;
  if (first < length && first + VECTOR <= call.wide_length) {
    items = input_items(read_vector(vector));
  } else {
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (first + item < length) {
        items[item] = read_end_item(first + item);
      }
    }
  }
  return items;
}
