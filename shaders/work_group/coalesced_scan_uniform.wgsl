// The scans of coalesced_scan.wgsl, with a total that may steer control flow. They write it to the caller's variable.
// Linked after an algorithm, coalesced.wgsl and coalesced_total.wgsl.
// Call in uniform control flow, by all threads, with local_index = @builtin(local_invocation_index).
// Each active thread gets its own prefix, the others get the identity, and all threads get the total, which is uniform.
// Work-group memory: the algorithm's.

fn coalesced_scan_inclusive_value_uniform(
  value: Value,
  is_active: bool,
  local_index: u32,
  total: ptr<function, Value>,
) -> Value {
  var own: Element;
  let prefix = work_group_scan_inclusive_uniform(coalesced_element(value, is_active), local_index, &own);
  *total = coalesced_total(own, is_active, local_index);
  return coalesced_inclusive(prefix, is_active);
}

fn coalesced_scan_exclusive_value_uniform(
  value: Value,
  is_active: bool,
  local_index: u32,
  total: ptr<function, Value>,
) -> Value {
  var own: Element;
  let prefix = work_group_scan_exclusive_uniform(coalesced_element(value, is_active), local_index, &own);
  *total = coalesced_total(own, is_active, local_index);
  return coalesced_exclusive(prefix, is_active);
}
