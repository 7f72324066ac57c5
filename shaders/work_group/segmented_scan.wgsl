// Segmented scans that a caller's own kernel calls: scan.wgsl in each segment by itself. A segment starts at each thread
// whose is_head is true, and at the first thread.
// Linked after an algorithm of segmented elements and segmented.wgsl; linking puts the operator and the type in the place of
// `value`, as in work_group_segmented_scan_exclusive_add_u32.
// Linking also makes functions of thread tiles of this file, such as thread_tile_8_segmented_scan_exclusive_add_u32.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix in its segment. From the _total functions it also gets the segment's total.
// Work-group memory: the algorithm's, and that of segmented.wgsl.

struct WorkGroupSegmentedScanValue {
  prefix: Value,
  total: Value,
}

fn work_group_segmented_scan_inclusive_value(value: Value, is_head: bool, local_index: u32) -> Value {
  let own = segmented_element(value, is_head || local_index == 0u, local_index);
  return value_from_element(segmented_work_group_scan_inclusive(own, local_index).prefix.element);
}

fn work_group_segmented_scan_exclusive_value(value: Value, is_head: bool, local_index: u32) -> Value {
  let own = segmented_element(value, is_head || local_index == 0u, local_index);
  return segmented_exclusive(own, segmented_work_group_scan_exclusive(own, local_index).prefix);
}

fn work_group_segmented_scan_inclusive_value_total(
  value: Value,
  is_head: bool,
  local_index: u32,
) -> WorkGroupSegmentedScanValue {
  let own = segmented_element(value, is_head || local_index == 0u, local_index);
  let scan = segmented_work_group_scan_exclusive(own, local_index);
  return WorkGroupSegmentedScanValue(
    value_from_element(segmented_combine(scan.prefix, own).element),
    segmented_total(own, scan.prefix, scan.total),
  );
}

fn work_group_segmented_scan_exclusive_value_total(
  value: Value,
  is_head: bool,
  local_index: u32,
) -> WorkGroupSegmentedScanValue {
  let own = segmented_element(value, is_head || local_index == 0u, local_index);
  let scan = segmented_work_group_scan_exclusive(own, local_index);
  return WorkGroupSegmentedScanValue(
    segmented_exclusive(own, scan.prefix),
    segmented_total(own, scan.prefix, scan.total),
  );
}
