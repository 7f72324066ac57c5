// coalesced_total.wgsl for an operator that starts from another value than its identity: that is the total
// where no thread is active. In place of coalesced_total.wgsl.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// All threads get the same; the result is uniform where the total is.
// Work-group memory: a word.

var<workgroup> coalesced_any: atomic<u32>;

fn coalesced_total(total: Element, is_active: bool, local_index: u32) -> Value {
  if (is_active) {
    atomicStore(&coalesced_any, 1u);
  }
  let any = workgroupUniformLoad(&coalesced_any);
  // The algorithm's barriers stand between this and what the next call stores.
  if (local_index == 0u) {
    atomicStore(&coalesced_any, 0u);
  }
  if (any == 0u) {
    return value_from_exclusive(total);
  }
  return value_from_element(total);
}
