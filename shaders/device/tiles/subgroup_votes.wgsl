// The scan and the reduction of a row whose elements are 0 or 1. A vote counts the elements that are 1.
// Call in uniform control flow. No work-group memory. Linked with subgroup.wgsl and subgroup_ballot.wgsl.

fn reduce_row(element: Element) -> Element {
  return count_votes(subgroupBallot(element != 0u));
}

fn scan_row(element: Element) -> RowScan {
  let votes = subgroupBallot(element != 0u);
  return RowScan(count_votes(votes & lanes_before(subgroup_lane)), count_votes(votes));
}
