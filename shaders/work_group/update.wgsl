// CUDA's inclusive_scan_update and exclusive_scan_update: the work-group's total goes to the caller's counter, and each
// thread's prefix starts from what the counter held before.
// Linked after an algorithm and counter.wgsl.
// Linking also makes functions of thread tiles of this file, such as thread_tile_8_scan_exclusive_add_u32_update.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix.
// Work-group memory: the algorithm's, and one element.

fn work_group_scan_inclusive_value_update(value: Value, local_index: u32) -> Value {
  let scan = work_group_scan_inclusive(element_from_value(value), local_index);
  return value_from_element(combine(work_group_update(scan.total, local_index), scan.prefix));
}

fn work_group_scan_exclusive_value_update(value: Value, local_index: u32) -> Value {
  let scan = work_group_scan_exclusive(element_from_value(value), local_index);
  return value_from_element(combine(work_group_update(scan.total, local_index), scan.prefix));
}
