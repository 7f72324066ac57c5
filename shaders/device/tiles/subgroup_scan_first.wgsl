// Scans the rows first, and takes the tile's total from that scan. A reduction by the operator would take the lanes as many
// shuffles again. All threads get the total.
// Call in uniform control flow. Linked with subgroup_scan_totals.wgsl, subgroup_rows_together.wgsl, subgroup_rows.wgsl, and
// subgroup.wgsl, whose work-group memory it uses.
// replaces: TileScan, begin_scan, before_run, run_of, reduce_subgroups, total_of_tile

struct TileScan {
  run: array<Element, ITEMS>,
  before: Element,
  total: Element,
}

fn begin_scan(elements: array<Element, ITEMS>, thread: u32) -> TileScan {
  let scan = prefixes_of_run(elements);
  let subgroups = scan_subgroups(scan.total);
  return TileScan(scan.prefixes, subgroups.before, subgroups.total);
}

fn before_run(scan: TileScan) -> Element {
  return scan.before;
}

fn reduce_subgroups(sum: Element) -> Element {
  return scan_subgroups(sum).total;
}

fn run_of(scan: TileScan, elements: array<Element, ITEMS>) -> array<Element, ITEMS> {
  return scan.run;
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
