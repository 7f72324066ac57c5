// CUDA's inclusive_scan and exclusive_scan over a coalesced_group: over the threads of the work-group whose is_active is
// true, in order. The other threads call these, too, and get the identity as their prefix.
// Linked after an algorithm, coalesced.wgsl and coalesced_total.wgsl.
// Linking also makes functions of thread tiles of this file, such as thread_tile_8_coalesced_scan_exclusive_add_u32.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// Each active thread gets its own prefix, and all threads get the total from the `_total` functions.
// Work-group memory: the algorithm's.

struct CoalescedScanValue {
  prefix: Value,
  total: Value,
}

fn coalesced_scan_inclusive_value_total(value: Value, is_active: bool, local_index: u32) -> CoalescedScanValue {
  let scan = work_group_scan_inclusive(coalesced_element(value, is_active), local_index);
  return CoalescedScanValue(
    coalesced_inclusive(scan.prefix, is_active),
    coalesced_total(scan.total, is_active, local_index),
  );
}

fn coalesced_scan_exclusive_value_total(value: Value, is_active: bool, local_index: u32) -> CoalescedScanValue {
  let scan = work_group_scan_exclusive(coalesced_element(value, is_active), local_index);
  return CoalescedScanValue(
    coalesced_exclusive(scan.prefix, is_active),
    coalesced_total(scan.total, is_active, local_index),
  );
}

fn coalesced_scan_inclusive_value(value: Value, is_active: bool, local_index: u32) -> Value {
  let scan = work_group_scan_inclusive(coalesced_element(value, is_active), local_index);
  return coalesced_inclusive(scan.prefix, is_active);
}

fn coalesced_scan_exclusive_value(value: Value, is_active: bool, local_index: u32) -> Value {
  let scan = work_group_scan_exclusive(coalesced_element(value, is_active), local_index);
  return coalesced_exclusive(scan.prefix, is_active);
}
