// CUDA's inclusive_scan and exclusive_scan over a coalesced_group: among the threads of the work-group
// that pass is_active, in order. The others take part, and get the identity.
// Linked after an algorithm and coalesced.wgsl.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// Each active thread gets its own prefix, and all threads get the total of the `_total` functions.
// Work-group memory: the algorithm's.

struct CoalescedScanValue {
  prefix: Value,
  total: Value,
}

fn coalesced_scan_inclusive_value_total(value: Value, is_active: bool, local_index: u32) -> CoalescedScanValue {
  let scan = work_group_scan_inclusive(coalesced_element(value, is_active), local_index);
  return CoalescedScanValue(coalesced_value(scan.prefix, is_active), value_from_element(scan.total));
}

fn coalesced_scan_exclusive_value_total(value: Value, is_active: bool, local_index: u32) -> CoalescedScanValue {
  let scan = work_group_scan_exclusive(coalesced_element(value, is_active), local_index);
  return CoalescedScanValue(coalesced_value(scan.prefix, is_active), value_from_element(scan.total));
}

fn coalesced_scan_inclusive_value(value: Value, is_active: bool, local_index: u32) -> Value {
  return coalesced_scan_inclusive_value_total(value, is_active, local_index).prefix;
}

fn coalesced_scan_exclusive_value(value: Value, is_active: bool, local_index: u32) -> Value {
  return coalesced_scan_exclusive_value_total(value, is_active, local_index).prefix;
}
