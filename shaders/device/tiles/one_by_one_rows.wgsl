// A tile whose items go one by one, scanned by subgroups. Each subgroup takes its run in rows, with one item for each lane.
// Call in uniform control flow. Linked with one_by_one.wgsl, and with subgroup.wgsl, whose work-group memory it uses.
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
