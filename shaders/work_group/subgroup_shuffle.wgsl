// The exchanges of elements between the lanes of a subgroup. Code generation declares the same names for elements that WGSL's built-ins do
// not take; a struct moves field by field.
// Call in uniform control flow. `rank` is the thread's place among the subgroup's threads. No work-group memory.

enable subgroups;

fn element_shuffle(element: Element, rank: u32) -> Element {
  return subgroupShuffle(element, rank);
}

fn element_shuffle_up(element: Element, distance: u32) -> Element {
  return subgroupShuffleUp(element, distance);
}

fn element_shuffle_xor(element: Element, mask: u32) -> Element {
  return subgroupShuffleXor(element, mask);
}
