// CUDA's reduce over a coalesced_group: of the threads of the work-group that pass is_active. The others
// take part, and get the total, too.
// Linked after an algorithm, coalesced.wgsl and coalesced_total.wgsl.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// All threads get the total: the result is uniform. Where none is active, it is the identity.
// Work-group memory: the algorithm's.

fn coalesced_reduce_value(value: Value, is_active: bool, local_index: u32) -> Value {
  let total = work_group_reduce(coalesced_element(value, is_active), local_index);
  return coalesced_total(total, is_active, local_index);
}
