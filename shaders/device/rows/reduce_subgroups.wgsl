// Reduces the whole rows of a tile by subgroups. The thread that has the last item of a row stores its total.
// Linked with reduce_each_row.wgsl, load_elements.wgsl, and subgroups.wgsl of rows, whose work-group memory it uses.

fn reduce_row_tile(tile: u32, own: RowTile, thread: u32) {
  var elements = load_row_elements(own, thread);
  var run = scan_row_vectors(elements, own, thread);
  let before = before_row_run(run.tail, own, thread);
  let width = call.row_length;
  let step = subgroup_count * VECTOR % width;
  let base = own.first / VECTOR;
  let is_simple = rows_have_vectors();
  let step_rows = subgroup_count * VECTOR / width;
  let first = vector_of(0u, thread, 0u) * VECTOR;
  var place = place_in_row(first, own);
  // The row of the vector's first item. The items before the tile's first one are of rows before.
  var row = own.row + (first + VECTOR * width - own.first % VECTOR) / width - VECTOR;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let index = (base + vector_of(0u, thread, vector)) * VECTOR;
    let is_behind = vectors_to_start(place) > vector * subgroup_count + subgroup_rank;
    // Only the vectors in which a row ends have something to store.
    let ends = index < own.end && (place + VECTOR >= width || index + VECTOR >= own.end);
    if (is_simple) {
      // The row ends with the vector.
      if (ends) {
        var total = run.tails[vector];
        if (is_behind) {
          total = combine(before, total);
        }
        store_row_total(tile, row, total);
      }
    } else if (ends) {
      var at = place;
      var ended = row;
      var total = identity();
      if (place > 0u) {
        total = run.before[vector];
        if (is_behind) {
          total = combine(before, total);
        }
      }
      for (var item = 0u; item < VECTOR; item++) { // unroll
        if (at == width) {
          at = 0u;
          ended += 1u;
          total = identity();
        }
        total = combine(total, elements[vector * VECTOR + item]);
        at += 1u;
        let end = index + item + 1u;
        if (end > own.first && (end == own.end || (at == width && end < own.end))) {
          store_row_total(tile, ended, total);
        }
      }
    }
    place += step;
    row += step_rows + select(0u, 1u, place >= width);
    place = select(place, place - width, place >= width);
  }
}

fn scans_rows() -> bool {
  return false;
}
