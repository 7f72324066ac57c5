// CUDA's reduce over a coalesced_group: over the threads of the work-group whose is_active is true. The other threads call
// this, too, and get the total.
// Linked after an algorithm, coalesced.wgsl and coalesced_total.wgsl.
// Linking also makes functions of thread tiles of this file, such as thread_tile_8_coalesced_reduce_add_u32.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// All threads get the total: the result is uniform. If no thread is active, it is the identity.
// Work-group memory: the algorithm's.

fn coalesced_reduce_value(value: Value, is_active: bool, local_index: u32) -> Value {
  let total = work_group_reduce(coalesced_element(value, is_active), local_index);
  return coalesced_total(total, is_active, local_index);
}
