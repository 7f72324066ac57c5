// A subgroup's sums of 64-bit integers, low word first, from its sums of words: five shuffles a word in place of ten.
// Call in uniform control flow. No work-group memory.
// Linked before subgroup_contract.wgsl, with subgroup_count.wgsl and subgroup_ballot.wgsl.

enable subgroups;

// A low word that is less than the lane's own has wrapped around since the lane before.
fn subgroup_scan_inclusive(element: Element, rank: u32) -> Element {
  let low = subgroupInclusiveAdd(element.x);
  let wraps = low < element.x;
  let votes = subgroupBallot(wraps);
  let carries = count_votes(votes & lanes_before(subgroup_lane)) + select(0u, 1u, wraps);
  return vec2<u32>(low, subgroupInclusiveAdd(element.y) + carries);
}

// Half words, whose sums over a subgroup do not wrap around.
fn subgroup_reduce(element: Element, rank: u32, count: u32) -> Element {
  let low = subgroupAdd(element.x & 0xffffu);
  let high = subgroupAdd(element.x >> 16u) + (low >> 16u);
  let upper = subgroupAdd(element.y) + (high >> 16u);
  // To all lanes: see subgroup_contract.wgsl.
  return subgroupBroadcastFirst(vec2<u32>((high << 16u) | (low & 0xffffu), upper));
}
