// The scan of the subgroups' totals in a tile. All threads get it.
// Call in uniform control flow. Linked with subgroup.wgsl, whose work-group memory it uses.

// What comes before the subgroup in the tile, and the tile's total.
struct SubgroupsScan {
  before: Element,
  total: Element,
}

// Combines the subgroups' totals one after another. Shuffles would not be faster.
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
