// The total of any tile, where the order in which it is combined does not change its bits, or where it is combined as begin_scan of
// subgroup.wgsl does: row after row.
// Call in uniform control flow. Linked with subgroup.wgsl, whose work-group memory it uses. All threads get the total.

// It reads one row after another, which is slow, but takes few registers.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    sum = combine(sum, reduce_row(combine_vector(identity(), vector_of(tile, thread, vector), length)));
  }
  return reduce_subgroups(sum);
}
