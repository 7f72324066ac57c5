// CUDA's inclusive_scan_update and exclusive_scan_update over a coalesced_group of a warp: as coalesced_scan.wgsl, with the counter of
// counter.wgsl. Threads that are not active get the identity as their prefix.
// Linked after an algorithm of thread_tile/, work_group/coalesced.wgsl and counter.wgsl.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// Work-group memory: the algorithm's, and one element for each tile.

fn thread_tile_coalesced_scan_inclusive_value_update(value: Value, is_active: bool, local_index: u32) -> Value {
  let scan = thread_tile_scan_inclusive(coalesced_element(value, is_active), local_index);
  return coalesced_inclusive(combine(thread_tile_update(scan.total, local_index), scan.prefix), is_active);
}

fn thread_tile_coalesced_scan_exclusive_value_update(value: Value, is_active: bool, local_index: u32) -> Value {
  let scan = thread_tile_scan_exclusive(coalesced_element(value, is_active), local_index);
  return coalesced_exclusive(combine(thread_tile_update(scan.total, local_index), scan.prefix), is_active);
}
