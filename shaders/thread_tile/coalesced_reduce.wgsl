// CUDA's reduce over a coalesced_group of a warp: over the threads of each thread tile whose is_active is true. The other threads call
// this, too.
// Linked after an algorithm of thread_tile/, work_group/coalesced.wgsl and a coalesced_total.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// All threads of a tile get its total. If none of them is active, it is the identity.
// Work-group memory: the algorithm's.

fn thread_tile_coalesced_reduce_value(value: Value, is_active: bool, local_index: u32) -> Value {
  let scan = thread_tile_scan_inclusive(coalesced_element(value, is_active), local_index);
  return coalesced_total(scan.total, is_active, local_index);
}
