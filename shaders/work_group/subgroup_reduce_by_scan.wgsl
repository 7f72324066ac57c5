// A subgroup's reduction, by its scan. If WGSL has the operator as a subgroup built-in, code generation declares the same name, or
// subgroup_reduce.wgsl does. Generated code that calls a built-in reduction broadcasts the result. Without that, one compiler was seen to
// move the reduction into a branch that uses it, and that only a few lanes take.
// Call in uniform control flow. All lanes get the result. No work-group memory. Linked with subgroup_shuffle.wgsl or what is generated in its
// place, and with subgroup_scan.wgsl.

// The combination of the subgroup's threads, of which there are `count`.
fn subgroup_reduce(element: Element, rank: u32, count: u32) -> Element {
  return element_shuffle(subgroup_scan_inclusive(element, rank), count - 1u);
}
