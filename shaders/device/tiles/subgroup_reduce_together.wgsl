// A tile's total for operators for which WGSL has no subgroup scan, and whose order must be kept. It combines several rows
// together, as scan_rows of subgroup_rows_together.wgsl does, and does not go the way back. For eight rows, this takes a
// fourth of the shuffles of one row after another.
// Call in uniform control flow. Linked with subgroup_rows_together.wgsl, and with subgroup.wgsl and subgroup_scan_first.wgsl, whose
// work-group memory it uses.
// replaces: reduce_tile

fn reduce_tile(elements: array<Element, ITEMS>, thread: u32) -> Element {
  var all_sums = row_sums(elements);
  var total = identity();
  for (var chunk = 0u; chunk < ROW_CHUNKS; chunk++) { // unroll
    var sums: array<Element, ROWS>;
    for (var row = 0u; row < ROWS; row++) { // unroll
      sums[row] = all_sums[chunk * ROWS + row];
    }
    total = combine(total, reduce_rows(sums));
  }
  return reduce_subgroups(total);
}

// The total of several rows. All lanes get it.
fn reduce_rows(elements: array<Element, ROWS>) -> Element {
  var sums = elements;
  for (var stage = 0u; stage < ROW_STAGES; stage++) { // unroll
    let is_later = (subgroup_rank & (1u << stage)) != 0u;
    for (var pair = 0u; pair < ROW_PAIRS; pair++) { // unroll
      if (pair < (ROWS >> (stage + 1u))) {
        var kept = sums[2u * pair];
        var given = sums[2u * pair + 1u];
        if (is_later) {
          kept = sums[2u * pair + 1u];
          given = sums[2u * pair];
        }
        let taken = element_shuffle_xor(given, 1u << stage);
        var first = kept;
        var second = taken;
        if (is_later) {
          first = taken;
          second = kept;
        }
        sums[pair] = combine(first, second);
      }
    }
  }
  // Each lane has a part of one row. Combine the parts of each row, and then the rows.
  var parts = sums[0];
  for (var distance = ROWS; distance < MAX_SUBGROUP_SIZE; distance <<= 1u) {
    let before = element_shuffle_up(parts, distance);
    if (subgroup_rank >= distance) {
      parts = combine(before, parts);
    }
  }
  let row = subgroup_rank % ROWS;
  var rows = element_shuffle(parts, subgroup_count - ROWS + row);
  for (var distance = 1u; distance < ROWS; distance <<= 1u) {
    let before = element_shuffle_up(rows, distance);
    if (row >= distance) {
      rows = combine(before, rows);
    }
  }
  return element_shuffle(rows, ROWS - 1u);
}

// The total of any tile, with the same bits as that of begin_scan. It combines rows in pairs, then pairs of pairs, as the
// lanes do in scan_rows. It is slow, but takes few registers.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var chunk = 0u; chunk < ROW_CHUNKS; chunk++) {
    // For each stage, the total that waits for the other one of its pair.
    var halves: array<Element, ROW_STAGES + 1u>;
    for (var row = 0u; row < ROWS; row++) {
      let place = vector_of(tile, thread, chunk * ROWS + row);
      var total = reduce_row(combine_vector(identity(), place, length));
      var stage = 0u;
      for (; ((row >> stage) & 1u) == 1u; stage++) {
        total = combine(halves[stage], total);
      }
      halves[stage] = total;
    }
    sum = combine(sum, halves[ROW_STAGES]);
  }
  return reduce_subgroups(sum);
}
