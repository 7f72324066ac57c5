// The names that subgroup shaders use beside the contract, in their simplest instance. Code generation declares the same
// names for any type; a struct moves field by field. If WGSL has the operator as a subgroup built-in, the generated code
// calls that.
// Call in uniform control flow. `rank` is the thread's place among the subgroup's threads.

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

// The combination of the subgroup's threads, of which there are `count`. All of them get it. Generated code that calls a
// built-in reduction broadcasts the result. Without that, one compiler was seen to move the reduction into a branch that
// uses it, and that only a few lanes take.
fn subgroup_reduce(element: Element, rank: u32, count: u32) -> Element {
  return element_shuffle(subgroup_scan_inclusive(element, rank), count - 1u);
}

// Each thread's inclusive prefix within its subgroup.
fn subgroup_scan_inclusive(element: Element, rank: u32) -> Element {
  var prefix = element;
  for (var distance = 1u; distance < MAX_SUBGROUP_SIZE; distance <<= 1u) {
    let earlier = element_shuffle_up(prefix, distance);
    if (rank >= distance) {
      prefix = combine(earlier, prefix);
    }
  }
  return prefix;
}
