// The total of any tile, with the same bits as that of begin_scan with subgroup_any_order.wgsl. It is for f32 and f16,
// whose bits depend on the order of operations. It is slow, but takes few registers. All threads get the total.
// Call in uniform control flow. Linked with subgroup.wgsl, whose work-group memory it uses.

fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    sum = combine(sum, combine_vector(identity(), vector_of(tile, thread, vector), length));
  }
  return reduce_subgroups(reduce_row(sum));
}
