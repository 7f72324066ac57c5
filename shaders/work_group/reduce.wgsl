// The reduction that a caller's own kernel calls: OpenCL C's work-group function, on the caller's
// values. Linked after an algorithm; linking puts the operator and the type in the place of `value`.
// Linking also makes functions of thread tiles of this file, such as thread_tile_8_reduce_add_u32.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// All threads get the total: the result is uniform.
// Work-group memory: the algorithm's.

fn work_group_reduce_value(value: Value, local_index: u32) -> Value {
  return value_from_element(work_group_reduce(element_from_value(value), local_index));
}
