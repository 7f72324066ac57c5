// The shuffles of segmented_element.wgsl, for algorithms by subgroups. These are linked with segmented_shuffle in place of
// element_shuffle, and so on.
// Linked after subgroup_shuffle.wgsl and segmented_element.wgsl.
// Call in uniform control flow.
// No work-group memory.

enable subgroups;

fn segmented_shuffle(element: SegmentedElement, rank: u32) -> SegmentedElement {
  return SegmentedElement(element_shuffle(element.element, rank), subgroupShuffle(element.head, rank));
}

fn segmented_shuffle_up(element: SegmentedElement, distance: u32) -> SegmentedElement {
  return SegmentedElement(element_shuffle_up(element.element, distance), subgroupShuffleUp(element.head, distance));
}

fn segmented_shuffle_xor(element: SegmentedElement, mask: u32) -> SegmentedElement {
  return SegmentedElement(element_shuffle_xor(element.element, mask), subgroupShuffleXor(element.head, mask));
}
