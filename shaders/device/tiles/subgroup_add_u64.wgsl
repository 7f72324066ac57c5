// A subgroup's sum of 64-bit integers (low word first), from sums of their words. It takes three of WGSL's reductions
// instead of ten shuffles. Call in uniform control flow. No work-group memory.
// Linked with subgroup_contract.wgsl.
// replaces: subgroup_reduce

enable subgroups;

// The low word is added as two half words, whose sums over a subgroup do not wrap around.
fn subgroup_reduce(element: Element, rank: u32, count: u32) -> Element {
  let low = subgroupAdd(element.x & 0xffffu);
  let high = subgroupAdd(element.x >> 16u) + (low >> 16u);
  let upper = subgroupAdd(element.y) + (high >> 16u);
  // The broadcast gives the sum to all lanes: subgroup_contract.wgsl says why.
  return subgroupBroadcastFirst(vec2<u32>((high << 16u) | (low & 0xffffu), upper));
}
