// The reduction that a caller's own kernel calls: CUDA's reduce over a thread_block_tile, on the
// caller's values. Linked after an algorithm of thread_tile/; linking puts the tile's size, the operator
// and the type into its name, as in thread_tile_8_reduce_add_u32.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// All threads of a tile get its total.
// Work-group memory: the algorithm's.

fn thread_tile_reduce_value(value: Value, local_index: u32) -> Value {
  return value_from_element(thread_tile_scan_inclusive(element_from_value(value), local_index).total);
}
