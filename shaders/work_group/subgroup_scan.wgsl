// A subgroup's scan, by exchanges between lanes. If WGSL has it as a subgroup built-in for the operator, code generation declares the same
// name.
// Call in uniform control flow. `rank` is the thread's place among the subgroup's threads. No work-group memory. Linked with
// subgroup_shuffle.wgsl or what is generated in its place.

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
