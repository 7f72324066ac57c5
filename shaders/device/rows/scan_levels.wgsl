// Scans the rows of a tile level by level: the totals of the rows' levels go up, and what comes before each element comes down.
// Linked with scan_each_row.wgsl, and levels.wgsl, whose work-group memory it uses.

// Each item of the tile goes to work-group memory, and its prefix comes back.
fn scan_row_tile(own: RowTile, thread: u32) {
  let base = own.first / VECTOR;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let at = vector * WORK_GROUP_SIZE + thread;
    var items = read_edge(base + at, own.end);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      row_totals[row_place(at * VECTOR + item)] = row_element(items[item], (base + at) * VECTOR + item, own);
    }
  }
  scan_row_levels(thread, tile_row_items());
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let at = vector * WORK_GROUP_SIZE + thread;
    if ((base + at) * VECTOR < own.end) {
      var results: array<Output, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        results[item] = item_from_element(row_totals[row_place(at * VECTOR + item)]);
      }
      write_edge(base + at, own.end, results);
    }
  }
}

// Scans `elements` elements of each row, in work-group memory. Each becomes the prefix that the scan asks for; and in the levels above, what
// comes before it.
fn scan_row_levels(thread: u32, elements: u32) {
  var count = elements;
  var level = 0u;
  var levels = 0u;
  workgroupBarrier();
  while (count > ROW_FAN) {
    let next = (count + ROW_FAN - 1u) / ROW_FAN;
    combine_row_level(thread, count, next, level, level + tile_rows() * count);
    workgroupBarrier();
    level += tile_rows() * count;
    count = next;
    levels += ROW_BITS;
  }
  for (var row = thread; row < tile_rows(); row += WORK_GROUP_SIZE) {
    scan_row_run(level + row * count, count, load_carry(0u), levels == 0u);
  }
  workgroupBarrier();
  while (levels > 0u) {
    levels -= ROW_BITS;
    let next = count;
    let above = level;
    count = (elements + (1u << levels) - 1u) >> levels;
    level -= tile_rows() * count;
    for (var at = thread; at < tile_rows() * next; at += WORK_GROUP_SIZE) {
      let first = at % next * ROW_FAN;
      let before = row_totals[row_place(above + at)];
      scan_row_run(level + at / next * count + first, min(ROW_FAN, count - first), before, levels == 0u);
    }
    workgroupBarrier();
  }
}

// Scans a few elements that follow one another.
fn scan_row_run(first: u32, count: u32, before: Element, are_items: bool) {
  var prefix = before;
  for (var at = 0u; at < count; at++) {
    let place = row_place(first + at);
    let earlier = prefix;
    prefix = combine(prefix, row_totals[place]);
    if (are_items) {
      row_totals[place] = select_prefix(earlier, prefix);
    } else {
      row_totals[place] = earlier;
    }
  }
}
