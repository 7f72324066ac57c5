// Rows in work-group memory: a tile has the elements of its rows there, in order. Elements are items, or totals of vectors. Totals of
// ROW_FAN elements that follow one another make the next level, until a row has at most ROW_FAN elements.
// Linked with contract.wgsl, tiles.wgsl of rows, and ROW_FAN, ROW_BITS (its logarithm) and ROW_TOTALS.
// Call in uniform control flow. Work-group memory: ROW_TOTALS elements.

var<workgroup> row_totals: array<Element, ROW_TOTALS>;

// The items of each row of a tile. The last part of a row may have fewer.
fn tile_row_items() -> u32 {
  return min(call.row_length, call.tile_items);
}

// Where an element lies. One place in 33 is left out, so that threads that read at a distance of a power of two do not all
// read from the same bank of memory.
fn row_place(at: u32) -> u32 {
  return at + at / 32u;
}

// Combines ROW_FAN elements that follow one another, for each row that has `count` of them from `level` on. The totals, `next`
// for each row, go to `above`.
fn combine_row_level(thread: u32, count: u32, next: u32, level: u32, above: u32) {
  for (var at = thread; at < tile_rows() * next; at += WORK_GROUP_SIZE) {
    let first = at % next * ROW_FAN;
    row_totals[row_place(above + at)] = row_run_total(level + at / next * count + first, min(ROW_FAN, count - first));
  }
}

// The total of a few elements that follow one another.
fn row_run_total(first: u32, count: u32) -> Element {
  var total = row_totals[row_place(first)];
  for (var at = 1u; at < count; at++) {
    total = combine(total, row_totals[row_place(first + at)]);
  }
  return total;
}
