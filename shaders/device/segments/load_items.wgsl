// Loads the items that one thread of a tile takes, as elements of segments, a vector at a time. Where segments start is found
// out for a whole vector at once, which takes fewer loads and divisions than to ask for each item.
// Linked in place of io/load_items.wgsl, with element.wgsl, an input and a file that declares heads_of_vector.
// Call from any control flow. No work-group memory.

fn load_items(tile: u32, thread: u32, length: u32) -> array<Element, ITEMS> {
  var elements: array<Element, ITEMS>;
  if ((tile + 1u) * TILE <= min(length, call.wide_length)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = vector_of(tile, thread, vector);
      var items = input_items(read_vector(place));
      var heads = heads_of_vector(place * VECTOR);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        let element = headless_from_item(items[item], place * VECTOR + item);
        elements[vector * VECTOR + item] = Element(element.value, heads[item]);
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
