// A tile of items that go one by one, by subgroups: each takes its run in rows, an item a lane.
// Call in uniform control flow. Work-group memory: that of subgroup.wgsl, which it is linked with, as it is with one_by_one.wgsl.
// replaces: TileScan, begin_scan, before_run, reduce_tile

struct TileScan {
  // What comes before the subgroup's run in the tile.
  before: Element,
  total: Element,
}

// The subgroups' totals are combined one after another.
fn begin_scan(items: Items, thread: u32) -> TileScan {
  var sum = identity();
  for (var row = 0u; row < ITEMS; row++) {
    sum = with_row(sum, element_at(vector_of(items.tile, thread, row), items.length));
  }
  sum = total_of_rows(sum);
  if (subgroup_rank == 0u) {
    subgroup_totals[subgroup_number] = sum;
  }
  workgroupBarrier();
  let subgroups = number_of_subgroups();
  var scan = TileScan(identity(), identity());
  for (var slot = 0u; slot < subgroups; slot++) {
    if (slot == subgroup_number) {
      scan.before = scan.total;
    }
    scan.total = combine(scan.total, subgroup_totals[slot]);
  }
  return scan;
}

fn before_run(scan: TileScan) -> Element {
  return scan.before;
}

fn reduce_tile(items: Items, thread: u32) -> Element {
  return begin_scan(items, thread).total;
}
