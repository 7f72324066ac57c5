// A subgroup's reduction of integers, whose operators may combine in any order, by exchanges between lanes. Some adapters have one
// instruction for it, which subgroupAdd and its like take. A kernel that reduces at several places has them in one function, and
// NVIDIA's compiler (driver 580.159.04) was seen to run that instruction there under a predicate that was not set yet. Then lanes were
// left out, or the result was a word of ones. bench/LOG.md has its instructions.
// Call in uniform control flow. All lanes get the result. No work-group memory. Linked with subgroup_contract.wgsl.
// replaces: subgroup_reduce

fn subgroup_reduce(element: Element, rank: u32, count: u32) -> Element {
  var sum = element;
  // If lanes are missing, those that are there reach the first lane all the same.
  for (var distance = 1u; distance < MAX_SUBGROUP_SIZE; distance <<= 1u) {
    let other = element_shuffle_xor(sum, distance);
    sum = combine(sum, select(identity(), other, (rank ^ distance) < count));
  }
  return element_shuffle(sum, 0u);
}
