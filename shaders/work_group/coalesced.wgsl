// CUDA's inclusive_scan, exclusive_scan and reduce over a coalesced_group: among the threads of the
// work-group that pass is_active, in order. The others take part, and get the identity.
// Linked after functions.wgsl.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// Each active thread gets its own prefix, and all threads get the total of the `_total` functions.
// Work-group memory: the algorithm's.

fn coalesced_element(value: Value, is_active: bool) -> Element {
  if (is_active) {
    return element_from_value(value);
  }
  return identity();
}

fn coalesced_value(element: Element, is_active: bool) -> Value {
  if (is_active) {
    return value_from_element(element);
  }
  return value_from_element(identity());
}

fn coalesced_scan_inclusive_value_total(value: Value, is_active: bool, local_index: u32) -> WorkGroupScanValue {
  let scan = work_group_scan_inclusive(coalesced_element(value, is_active), local_index);
  return WorkGroupScanValue(coalesced_value(scan.prefix, is_active), value_from_element(scan.total));
}

fn coalesced_scan_exclusive_value_total(value: Value, is_active: bool, local_index: u32) -> WorkGroupScanValue {
  let scan = work_group_scan_exclusive(coalesced_element(value, is_active), local_index);
  return WorkGroupScanValue(coalesced_value(scan.prefix, is_active), value_from_element(scan.total));
}

fn coalesced_scan_inclusive_value(value: Value, is_active: bool, local_index: u32) -> Value {
  return coalesced_scan_inclusive_value_total(value, is_active, local_index).prefix;
}

fn coalesced_scan_exclusive_value(value: Value, is_active: bool, local_index: u32) -> Value {
  return coalesced_scan_exclusive_value_total(value, is_active, local_index).prefix;
}

fn coalesced_reduce_value(value: Value, is_active: bool, local_index: u32) -> Value {
  return coalesced_value(work_group_reduce(coalesced_element(value, is_active), local_index), is_active);
}
