// The scan and the reduction of a row by the operator. Each lane has one element of the row.
// Call in uniform control flow. No work-group memory. Linked with subgroup.wgsl, subgroup_scan.wgsl and a subgroup_reduce*.wgsl.

fn reduce_row(element: Element) -> Element {
  return subgroup_reduce(element, subgroup_rank, subgroup_count);
}

fn scan_row(element: Element) -> RowScan {
  let inclusive = subgroup_scan_inclusive(element, subgroup_rank);
  return RowScan(element_shuffle_up(inclusive, 1u), element_shuffle(inclusive, subgroup_count - 1u));
}
