// The total of any tile as begin_scan has it with subgroup_any_order.wgsl, for f32 and f16, whose bits depend on the
// order: slowly, so that it takes few registers. All threads get it.
// Call in uniform control flow. Work-group memory: that of subgroup.wgsl, which it is linked with.
// replaces: total_of_tile

fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    sum = combine(sum, combine_vector(identity(), vector_of(tile, thread, vector), length));
  }
  return reduce_subgroups(reduce_row(sum));
}
