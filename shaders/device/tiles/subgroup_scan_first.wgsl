// Scans the rows first, and takes the tile's total from that scan: a reduction would take more exchanges between lanes. Kernels
// whose total other tiles wait for go without this file if the reduction is short: then they have the total earlier. All threads
// get the total.
// Call in uniform control flow. Linked with subgroup_scan_totals.wgsl, and subgroup.wgsl, whose work-group memory it uses.
// replaces: TileScan, begin_scan, before_run, run_of, reduce_subgroups

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
