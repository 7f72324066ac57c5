// The tile's total from the scan of its rows, where lanes would take as many shuffles again for a reduction by the
// operator. All threads get it.
// Call in uniform control flow. Work-group memory: that of subgroup.wgsl, which it is linked with, as it is with
// subgroup_rows_together.wgsl and subgroup_rows.wgsl.
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

// What comes before the subgroup in the tile, and all of it.
struct SubgroupsScan {
  before: Element,
  total: Element,
}

// From each subgroup's own total: one after another, which shuffles would not do sooner.
fn scan_subgroups(sum: Element) -> SubgroupsScan {
  if (subgroup_rank == 0u) {
    subgroup_totals[subgroup_number] = sum;
  }
  workgroupBarrier();
  let subgroups = number_of_subgroups();
  var scan = SubgroupsScan(identity(), identity());
  for (var slot = 0u; slot < SUBGROUP_SLOTS; slot++) { // unroll
    if (slot == subgroup_number) {
      scan.before = scan.total;
    }
    if (slot < subgroups) {
      scan.total = combine(scan.total, subgroup_totals[slot]);
    }
  }
  return scan;
}

fn reduce_subgroups(sum: Element) -> Element {
  return scan_subgroups(sum).total;
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
