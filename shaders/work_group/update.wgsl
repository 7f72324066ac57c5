// CUDA's inclusive_scan_update and exclusive_scan_update: one thread adds the work-group's total to a
// counter of the caller's, in one atomic operation, and each thread's prefix starts from what the
// counter held before. Several work-groups may share the counter; which comes first is open.
// Linked after functions.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix.
// Work-group memory: the algorithm's, and one element.

var<workgroup> update_earlier: Element;

// What the counter held before. The result is uniform.
fn work_group_update(total: Element, local_index: u32) -> Element {
  if (local_index == 0u) {
    update_earlier = counter_update(total);
  }
  return workgroupUniformLoad(&update_earlier);
}

fn work_group_scan_inclusive_value_update(value: Value, local_index: u32) -> Value {
  let scan = work_group_scan_inclusive(element_from_value(value), local_index);
  return value_from_element(combine(work_group_update(scan.total, local_index), scan.prefix));
}

fn work_group_scan_exclusive_value_update(value: Value, local_index: u32) -> Value {
  let scan = work_group_scan_exclusive(element_from_value(value), local_index);
  return value_from_element(combine(work_group_update(scan.total, local_index), scan.prefix));
}
