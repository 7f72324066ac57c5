// The tile's total from the scan of its rows, where WGSL has no reduction of the operator's own: that would take as many shuffles
// again. Linked before subgroup_rows_together.wgsl and subgroup.wgsl, in place of what those have of these names. Call in
// uniform control flow. Work-group memory: that of subgroup.wgsl.

struct TileScan {
  run: array<Element, ITEMS>,
  total: Element,
}

fn begin_scan(elements: array<Element, ITEMS>, thread: u32) -> TileScan {
  let scan = prefixes_of_run(elements);
  return TileScan(scan.prefixes, reduce_subgroups(scan.total));
}

fn run_of(scan: TileScan, elements: array<Element, ITEMS>) -> array<Element, ITEMS> {
  return scan.run;
}

// The total of any tile, as begin_scan has it: rows two by two, and these two by two, as lanes combine them. Slowly, so that
// it takes few registers.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var chunk = 0u; chunk < ROW_CHUNKS; chunk++) {
    // What still lacks its other half, by stage.
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
