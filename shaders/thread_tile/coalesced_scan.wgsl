// CUDA's inclusive_scan and exclusive_scan over a coalesced_group of a warp: over the threads of each thread tile whose is_active is
// true, in order. The other threads call these, too, and get the identity as their prefix.
// Linked after an algorithm of thread_tile/, work_group/coalesced.wgsl and a coalesced_total.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// Each active thread gets its own prefix, and all threads of a tile get its total from the `_total` functions.
// Work-group memory: the algorithm's.

struct ThreadTileCoalescedScanValue {
  prefix: Value,
  total: Value,
}

fn thread_tile_coalesced_scan_inclusive_value_total(
  value: Value,
  is_active: bool,
  local_index: u32,
) -> ThreadTileCoalescedScanValue {
  let scan = thread_tile_scan_inclusive(coalesced_element(value, is_active), local_index);
  return ThreadTileCoalescedScanValue(
    coalesced_inclusive(scan.prefix, is_active),
    coalesced_total(scan.total, is_active, local_index),
  );
}

fn thread_tile_coalesced_scan_exclusive_value_total(
  value: Value,
  is_active: bool,
  local_index: u32,
) -> ThreadTileCoalescedScanValue {
  let scan = thread_tile_scan_exclusive(coalesced_element(value, is_active), local_index);
  return ThreadTileCoalescedScanValue(
    coalesced_exclusive(scan.prefix, is_active),
    coalesced_total(scan.total, is_active, local_index),
  );
}

fn thread_tile_coalesced_scan_inclusive_value(value: Value, is_active: bool, local_index: u32) -> Value {
  let scan = thread_tile_scan_inclusive(coalesced_element(value, is_active), local_index);
  return coalesced_inclusive(scan.prefix, is_active);
}

fn thread_tile_coalesced_scan_exclusive_value(value: Value, is_active: bool, local_index: u32) -> Value {
  let scan = thread_tile_scan_exclusive(coalesced_element(value, is_active), local_index);
  return coalesced_exclusive(scan.prefix, is_active);
}
