// CUDA's reduce over a coalesced_group: of the threads of the work-group that pass is_active. The others
// take part, and get the identity.
// Linked after an algorithm and coalesced.wgsl.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// All active threads get the total.
// Work-group memory: the algorithm's.

fn coalesced_reduce_value(value: Value, is_active: bool, local_index: u32) -> Value {
  return coalesced_value(work_group_reduce(coalesced_element(value, is_active), local_index), is_active);
}
