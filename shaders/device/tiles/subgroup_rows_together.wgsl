// Scans of rows within a subgroup's run, for operators for which WGSL has no subgroup scan. This file
// scans several rows together; subgroup.wgsl scans one row after another. Neighbouring lanes exchange the elements of every
// other row, and each lane combines the two elements that it now has of one row. Then lanes two apart do the same, then
// lanes four apart, until each lane holds a part of one row. The lanes scan these parts, and go the same way back. For
// eight rows, this takes a fourth of the shuffles. If several rows are scanned together, all subgroups are full.
// Call in uniform control flow. No work-group memory. Linked with subgroup.wgsl, subgroup_shuffle.wgsl, and
// subgroup_prefixes_together.wgsl or subgroup_prefixes_shifted.wgsl.

// What the lane has of each row: the items of its vector, combined.
fn row_sums(elements: array<Element, ITEMS>) -> array<Element, VECTORS> {
  var own = elements;
  var sums: array<Element, VECTORS>;
  for (var row = 0u; row < VECTORS; row++) { // unroll
    var sum = own[row * VECTOR];
    for (var item = 1u; item < VECTOR; item++) { // unroll
      sum = combine(sum, own[row * VECTOR + item]);
    }
    sums[row] = sum;
  }
  return sums;
}

struct RowsScan {
  // For each row, what comes before the lane's element.
  before: array<Element, ROWS>,
  total: Element,
}

fn scan_rows(elements: array<Element, ROWS>) -> RowsScan {
  var sums = elements;
  // For each stage, the earlier one of the two parts that were combined.
  var earlier: array<Element, max(1u, ROW_STAGES) * ROW_PAIRS>;
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
        earlier[stage * ROW_PAIRS + pair] = first;
        sums[pair] = combine(first, second);
      }
    }
  }

  // Each lane now has a part of one row: the combined elements of ROWS lanes. Combine the parts before it.
  var parts = sums[0];
  for (var distance = ROWS; distance < MAX_SUBGROUP_SIZE; distance <<= 1u) {
    let before = element_shuffle_up(parts, distance);
    if (subgroup_rank >= distance) {
      parts = combine(before, parts);
    }
  }
  let parts_before = element_shuffle_up(parts, ROWS);
  // Combine the rows before it.
  let row = subgroup_rank % ROWS;
  var rows = element_shuffle(parts, subgroup_count - ROWS + row);
  for (var distance = 1u; distance < ROWS; distance <<= 1u) {
    let before = element_shuffle_up(rows, distance);
    if (row >= distance) {
      rows = combine(before, rows);
    }
  }
  let rows_before = element_shuffle_up(rows, 1u);
  let total = element_shuffle(rows, ROWS - 1u);
  var before: array<Element, ROWS>;
  before[0] = identity();
  if (row > 0u) {
    before[0] = rows_before;
  }
  if (subgroup_rank >= ROWS) {
    before[0] = combine(before[0], parts_before);
  }

  // Go the same way back.
  for (var turn = 0u; turn < ROW_STAGES; turn++) { // unroll
    let is_later = (subgroup_rank & (1u << (ROW_STAGES - 1u - turn))) != 0u;
    for (var other = 0u; other < ROW_PAIRS; other++) { // unroll
      // Go from the last pair to the first, since a pair writes over the pairs after it.
      if (ROW_PAIRS - 1u - other < (ROWS >> (ROW_STAGES - turn))) {
        let first = before[ROW_PAIRS - 1u - other];
        let second = combine(first, earlier[(ROW_STAGES - 1u - turn) * ROW_PAIRS + ROW_PAIRS - 1u - other]);
        var kept = first;
        var given = second;
        if (is_later) {
          kept = second;
          given = first;
        }
        let taken = element_shuffle_xor(given, 1u << (ROW_STAGES - 1u - turn));
        before[2u * (ROW_PAIRS - 1u - other)] = kept;
        before[2u * (ROW_PAIRS - 1u - other) + 1u] = taken;
        if (is_later) {
          before[2u * (ROW_PAIRS - 1u - other)] = taken;
          before[2u * (ROW_PAIRS - 1u - other) + 1u] = kept;
        }
      }
    }
  }
  return RowsScan(before, total);
}
