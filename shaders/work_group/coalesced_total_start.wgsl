// The total of the active threads as a value, for an operator that starts from another value than its identity. If no
// thread is active, the total is that start. Linked in place of coalesced_total.wgsl.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// All threads get the same result. It is uniform if the total is.
// Work-group memory: a word.

var<workgroup> coalesced_any: atomic<u32>;

fn coalesced_total(total: Element, is_active: bool, local_index: u32) -> Value {
  if (is_active) {
    atomicStore(&coalesced_any, 1u);
  }
  let any = workgroupUniformLoad(&coalesced_any);
  // The algorithm's barriers come between this store and those of the next call.
  if (local_index == 0u) {
    atomicStore(&coalesced_any, 0u);
  }
  if (any == 0u) {
    return value_from_exclusive(total);
  }
  return value_from_element(total);
}
