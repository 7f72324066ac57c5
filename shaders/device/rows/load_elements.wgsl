// Loads the items that one thread of a tile of rows takes, as elements. Vectors lie as in subgroup.wgsl.
// Linked with contract.wgsl, tiles.wgsl of rows, and subgroup.wgsl. Call from any control flow. No work-group memory.

fn load_row_elements(own: RowTile, thread: u32) -> array<Element, ITEMS> {
  let base = own.first / VECTOR;
  var elements: array<Element, ITEMS>;
  if (is_whole_tile(own)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = base + vector_of(0u, thread, vector);
      var items = input_items(read_vector(place));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        elements[vector * VECTOR + item] = element_from_item(items[item], place * VECTOR + item);
      }
    }
  } else if (has_whole_vectors(own)) {
    // Threads past the end read the last vector again, so that no load is in a branch.
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = base + vector_of(0u, thread, vector);
      var items = input_items(read_vector(min(place, own.end / VECTOR - 1u)));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        elements[vector * VECTOR + item] = row_element(items[item], place * VECTOR + item, own);
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = base + vector_of(0u, thread, vector);
      var items = read_edge(place, own.end);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        elements[vector * VECTOR + item] = row_element(items[item], place * VECTOR + item, own);
      }
    }
  }
  return elements;
}
