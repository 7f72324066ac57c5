// Elements are totals of vectors, if rows start at vectors. Threads keep their items meanwhile.
// Linked with scan_levels.wgsl. Work-group memory: that of tiles.wgsl.

fn scan_row_tile(own: RowTile, thread: u32) {
  if (rows_have_vectors()) {
    scan_row_vectors(own, thread);
  } else {
    scan_row_items(own, thread);
  }
}

fn scan_row_vectors(own: RowTile, thread: u32) {
  let base = own.first / VECTOR;
  let is_whole = is_whole_tile(own);
  var elements: array<Element, ITEMS>;
  if (is_whole) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = base + vector * WORK_GROUP_SIZE + thread;
      var items = input_items(read_vector(place));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        elements[vector * VECTOR + item] = element_from_item(items[item], place * VECTOR + item);
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = base + vector * WORK_GROUP_SIZE + thread;
      var items = read_edge(place, own.end);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        elements[vector * VECTOR + item] = row_element(items[item], place * VECTOR + item, own);
      }
    }
  }
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var total = elements[vector * VECTOR];
    for (var item = 1u; item < VECTOR; item++) { // unroll
      total = combine(total, elements[vector * VECTOR + item]);
    }
    row_totals[row_place(vector * WORK_GROUP_SIZE + thread)] = total;
  }
  scan_row_levels(thread, tile_row_items() / VECTOR, false);
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var prefix = row_totals[row_place(vector * WORK_GROUP_SIZE + thread)];
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let earlier = prefix;
      prefix = combine(prefix, elements[vector * VECTOR + item]);
      elements[vector * VECTOR + item] = select_prefix(earlier, prefix);
    }
  }
  if (is_whole) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var results: array<Output, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        results[item] = item_from_element(elements[vector * VECTOR + item]);
      }
      write_vector(base + vector * WORK_GROUP_SIZE + thread, output_vector(results));
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = base + vector * WORK_GROUP_SIZE + thread;
      var results: array<Output, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        results[item] = item_from_element(elements[vector * VECTOR + item]);
      }
      if (place * VECTOR < own.end) {
        write_edge(place, own.end, results);
      }
    }
  }
}
