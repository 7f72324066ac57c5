// inclusive_scan_update and exclusive_scan_update over a coalesced_group: as coalesced_scan.wgsl, with the counter of
// counter.wgsl. Threads that are not active get the identity as their prefix.
// Linked after coalesced.wgsl and counter.wgsl.
// Linking also makes functions of thread tiles of this file, such as thread_tile_8_coalesced_scan_exclusive_add_u32_update.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// Work-group memory: the algorithm's, and one element.

fn coalesced_scan_inclusive_value_update(value: Value, is_active: bool, local_index: u32) -> Value {
  let scan = work_group_scan_inclusive(coalesced_element(value, is_active), local_index);
  return coalesced_inclusive(combine(work_group_update(scan.total, local_index), scan.prefix), is_active);
}

fn coalesced_scan_exclusive_value_update(value: Value, is_active: bool, local_index: u32) -> Value {
  let scan = work_group_scan_exclusive(coalesced_element(value, is_active), local_index);
  return coalesced_exclusive(combine(work_group_update(scan.total, local_index), scan.prefix), is_active);
}
