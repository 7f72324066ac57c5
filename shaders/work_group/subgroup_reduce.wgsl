// A subgroup's reduction of integers, whose operators may combine in any order, by exchanges between lanes. Some adapters have one
// instruction for it, which subgroupAdd and its like take. A kernel that reduces at several places has them in one function, and
// NVIDIA's compiler (driver 580.159.04) was seen to run that instruction there under a predicate that was not set yet. Then lanes were
// left out, or the result was a word of ones. bench/LOG.md has its instructions.
// The exchanges are written out: that compiler does not unroll a loop over them, and keeps such a loop even if its result is not used.
// Call in uniform control flow. All lanes get the result. No work-group memory. Linked in place of subgroup_reduce_by_scan.wgsl, with
// subgroup_shuffle.wgsl or what is generated in its place.

fn subgroup_reduce(element: Element, rank: u32, count: u32) -> Element {
  var sum = with_other_lane(element, 1u, rank, count);
  if (MAX_SUBGROUP_SIZE > 2u) {
    sum = with_other_lane(sum, 2u, rank, count);
  }
  if (MAX_SUBGROUP_SIZE > 4u) {
    sum = with_other_lane(sum, 4u, rank, count);
  }
  if (MAX_SUBGROUP_SIZE > 8u) {
    sum = with_other_lane(sum, 8u, rank, count);
  }
  if (MAX_SUBGROUP_SIZE > 16u) {
    sum = with_other_lane(sum, 16u, rank, count);
  }
  if (MAX_SUBGROUP_SIZE > 32u) {
    sum = with_other_lane(sum, 32u, rank, count);
  }
  if (MAX_SUBGROUP_SIZE > 64u) {
    sum = with_other_lane(sum, 64u, rank, count);
  }
  return element_shuffle(sum, 0u);
}

// Combines a lane's sum with that of the lane whose rank differs in one bit. If lanes are missing, those that are there reach the first
// lane all the same.
fn with_other_lane(sum: Element, distance: u32, rank: u32, count: u32) -> Element {
  let other = element_shuffle_xor(sum, distance);
  return combine(sum, select(identity(), other, (rank ^ distance) < count));
}
