// The scans that a caller's own kernel calls: OpenCL C's work-group functions, on the caller's
// values. Linked after an algorithm; linking puts the operator and the type in the place of `value`, as
// in work_group_scan_exclusive_add_u32.
// Linking also makes functions of thread tiles of this file, such as thread_tile_8_scan_exclusive_add_u32.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix, and all get the total.
// Work-group memory: the algorithm's.

struct WorkGroupScanValue {
  prefix: Value,
  total: Value,
}

fn work_group_scan_inclusive_value(value: Value, local_index: u32) -> Value {
  return value_from_element(work_group_scan_inclusive(element_from_value(value), local_index).prefix);
}

fn work_group_scan_exclusive_value(value: Value, local_index: u32) -> Value {
  return value_from_exclusive(work_group_scan_exclusive(element_from_value(value), local_index).prefix);
}

// The prefix and the work-group's total. Both cost no more than the prefix alone.
fn work_group_scan_inclusive_value_total(value: Value, local_index: u32) -> WorkGroupScanValue {
  let scan = work_group_scan_inclusive(element_from_value(value), local_index);
  return WorkGroupScanValue(value_from_element(scan.prefix), value_from_element(scan.total));
}

fn work_group_scan_exclusive_value_total(value: Value, local_index: u32) -> WorkGroupScanValue {
  let scan = work_group_scan_exclusive(element_from_value(value), local_index);
  return WorkGroupScanValue(value_from_exclusive(scan.prefix), value_from_element(scan.total));
}
