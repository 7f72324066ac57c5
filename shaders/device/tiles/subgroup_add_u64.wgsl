// A subgroup's sum of 64-bit integers, low word first, from its sums of words: three of WGSL's reductions in place of ten
// shuffles. Call in uniform control flow. No work-group memory.
// Linked with subgroup_contract.wgsl.
// replaces: subgroup_reduce

enable subgroups;

// Of half words, whose sums over a subgroup do not wrap around.
fn subgroup_reduce(element: Element, rank: u32, count: u32) -> Element {
  let low = subgroupAdd(element.x & 0xffffu);
  let high = subgroupAdd(element.x >> 16u) + (low >> 16u);
  let upper = subgroupAdd(element.y) + (high >> 16u);
  // To all lanes: see subgroup_contract.wgsl.
  return subgroupBroadcastFirst(vec2<u32>((high << 16u) | (low & 0xffffu), upper));
}
