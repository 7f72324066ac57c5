// Reduces the rows of a tile level by level.
// Linked with reduce_each_row.wgsl and levels.wgsl, whose work-group memory it uses.

fn reduce_row_tile(tile: u32, own: RowTile, thread: u32) {
  var count = tile_row_items();
  if (rows_have_vectors()) {
    count /= VECTOR;
    load_row_vectors(own, thread);
  } else {
    load_row_items(own, thread);
  }
  workgroupBarrier();
  var level = 0u;
  var above = tile_rows() * count;
  while (count > ROW_FAN) {
    let next = (count + ROW_FAN - 1u) / ROW_FAN;
    combine_row_level(thread, count, next, level, above);
    workgroupBarrier();
    level = above;
    above += tile_rows() * next;
    count = next;
  }
  for (var row = thread; row < tile_rows(); row += WORK_GROUP_SIZE) {
    store_row_total(tile, own.row + row, row_run_total(level + row * count, count));
  }
}

// The tile's vectors, each as a total. All loads come before the first combination, so that no load waits for another.
fn load_row_vectors(own: RowTile, thread: u32) {
  let base = own.first / VECTOR;
  if (is_whole_tile(own)) {
    var vectors: array<InputVector, VECTORS>;
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      vectors[vector] = read_vector(base + vector * WORK_GROUP_SIZE + thread);
    }
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let at = vector * WORK_GROUP_SIZE + thread;
      var items = input_items(vectors[vector]);
      var total = element_from_item(items[0], (base + at) * VECTOR);
      for (var item = 1u; item < VECTOR; item++) { // unroll
        total = combine(total, element_from_item(items[item], (base + at) * VECTOR + item));
      }
      row_totals[row_place(at)] = total;
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let at = vector * WORK_GROUP_SIZE + thread;
      var items = read_edge(base + at, own.end);
      var total = row_element(items[0], (base + at) * VECTOR, own);
      for (var item = 1u; item < VECTOR; item++) { // unroll
        total = combine(total, row_element(items[item], (base + at) * VECTOR + item, own));
      }
      row_totals[row_place(at)] = total;
    }
  }
}

// The tile's items, each as an element. The first one may lie within a vector.
fn load_row_items(own: RowTile, thread: u32) {
  let base = own.first / VECTOR;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let place = base + vector * WORK_GROUP_SIZE + thread;
    var items = read_edge(place, own.end);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let index = place * VECTOR + item;
      if (index >= own.first) {
        row_totals[row_place(index - own.first)] = row_element(items[item], index, own);
      }
    }
  }
}
