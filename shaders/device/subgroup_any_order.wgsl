// A tile's total where any order and grouping gives the same bits: each lane combines its own items, and the lanes
// meet once. Linked before subgroup.wgsl. Call in uniform control flow. No work-group memory.

fn reduce_tile(elements: array<Element, ITEMS>, thread: u32) -> Element {
  var own = elements;
  var total = identity();
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var sum = own[vector * VECTOR];
    for (var item = 1u; item < VECTOR; item++) { // unroll
      sum = combine(sum, own[vector * VECTOR + item]);
    }
    total = combine(total, sum);
  }
  return reduce_subgroups(reduce_row(total));
}
