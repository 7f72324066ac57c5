// Scans the rows of a tile by subgroups.
// Linked with scan_each_row.wgsl, load_elements.wgsl, and subgroups.wgsl of rows, whose work-group memory it uses.

fn scan_row_tile(own: RowTile, thread: u32) {
  var elements = load_row_elements(own, thread);
  var run = scan_row_vectors(elements, own, thread);
  let before = before_row_run(run.tail, own, thread);
  let first = load_carry(0u);
  let width = call.row_length;
  let step = subgroup_count * VECTOR % width;
  var place = place_in_row(vector_of(0u, thread, 0u) * VECTOR, own);
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var prefix = first;
    if (place > 0u) {
      prefix = run.before[vector];
      if (vectors_to_start(place) > vector * subgroup_count + subgroup_rank) {
        prefix = combine(before, prefix);
      }
      prefix = combine(first, prefix);
    }
    var at = place;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (at == width) {
        at = 0u;
        prefix = first;
      }
      let earlier = prefix;
      prefix = combine(prefix, elements[vector * VECTOR + item]);
      elements[vector * VECTOR + item] = select_prefix(earlier, prefix);
      at += 1u;
    }
    place += step;
    place = select(place, place - width, place >= width);
  }
  store_row_prefixes(own, thread, elements);
}

fn store_row_prefixes(own: RowTile, thread: u32, prefixes: array<Element, ITEMS>) {
  var elements = prefixes;
  let base = own.first / VECTOR;
  // In place, threads past the end have read what another thread stores here.
  storageBarrier();
  if (is_whole_tile(own)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var results: array<Output, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        results[item] = item_from_element(elements[vector * VECTOR + item]);
      }
      write_vector(base + vector_of(0u, thread, vector), output_vector(results));
    }
  } else if (has_whole_vectors(own)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = base + vector_of(0u, thread, vector);
      var results: array<Output, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        results[item] = item_from_element(elements[vector * VECTOR + item]);
      }
      if (place * VECTOR < own.end) {
        write_vector(place, output_vector(results));
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = base + vector_of(0u, thread, vector);
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

fn scans_rows() -> bool {
  return true;
}
