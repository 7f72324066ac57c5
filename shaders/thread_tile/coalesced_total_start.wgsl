// The total of a tile's active threads as a value, for an operator that starts from another value than its identity. If no thread is
// active, the total is that start. Linked in place of work_group/coalesced_total.wgsl.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// All threads of a tile get the same result.
// Work-group memory: a word for each tile.

var<workgroup> coalesced_any: array<atomic<u32>, THREAD_TILES>;

fn coalesced_total(total: Element, is_active: bool, local_index: u32) -> Value {
  let tile = local_index / THREAD_TILE;
  if (is_active) {
    atomicStore(&coalesced_any[tile], 1u);
  }
  workgroupBarrier();
  let any = atomicLoad(&coalesced_any[tile]);
  workgroupBarrier();
  if (local_index % THREAD_TILE == 0u) {
    atomicStore(&coalesced_any[tile], 0u);
  }
  workgroupBarrier();
  if (any == 0u) {
    return value_from_exclusive(total);
  }
  return value_from_element(total);
}
