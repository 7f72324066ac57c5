// Loads the items that one thread of a tile takes, and maps each to an element as it is loaded.
// Linked before load_items.wgsl and scan_single_pass.wgsl, in place of what they have of these names;
// otherwise as load_items.wgsl. Call from any control flow. No work-group memory.

// An item alone, where a vector is one.
fn load_element(index: u32) -> Element {
  return mapped_element(input_items(read_vector(index))[0], index);
}

// Past the end of the data, the identity: nothing is mapped there.
fn load_items(tile: u32, thread: u32, length: u32) -> array<Element, ITEMS> {
  var elements: array<Element, ITEMS>;
  if ((tile + 1u) * TILE <= min(length, params.wide_length)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = vector_of(tile, thread, vector);
      var items = input_items(read_vector(place));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        elements[vector * VECTOR + item] = mapped_element(items[item], place * VECTOR + item);
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = vector_of(tile, thread, vector);
      var items = read_edge(place, length);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        elements[vector * VECTOR + item] = identity();
        if (place * VECTOR + item < length) {
          elements[vector * VECTOR + item] = mapped_element(items[item], place * VECTOR + item);
        }
      }
    }
  }
  return elements;
}

// With a vector's items combined, for a tile whose total is computed again.
fn combine_vector(before: Element, place: u32, length: u32) -> Element {
  var items = read_edge(place, length);
  var sum = before;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    if (place * VECTOR + item < length) {
      sum = combine(sum, mapped_element(items[item], place * VECTOR + item));
    }
  }
  return sum;
}
