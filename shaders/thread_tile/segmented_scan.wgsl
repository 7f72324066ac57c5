// Segmented scans that a caller's own kernel calls: scan.wgsl in each segment of each thread tile by itself. A segment starts
// at each thread whose is_head is true, and at the first thread of each tile.
// Linked after an algorithm of segmented elements of thread_tile/ and work_group/segmented.wgsl; linking puts the tile's size,
// the operator and the type into each name, as in thread_tile_8_segmented_scan_exclusive_add_u32.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix in its segment. From the _total functions it also gets the segment's total.
// Work-group memory: the algorithm's, and that of work_group/segmented.wgsl.

struct ThreadTileSegmentedScanValue {
  prefix: Value,
  total: Value,
}

fn thread_tile_segmented_scan_inclusive_value(value: Value, is_head: bool, local_index: u32) -> Value {
  let own = segmented_element(value, is_head || local_index % THREAD_TILE == 0u, local_index);
  return value_from_element(segmented_thread_tile_scan_inclusive(own, local_index).prefix.element);
}

fn thread_tile_segmented_scan_exclusive_value(value: Value, is_head: bool, local_index: u32) -> Value {
  let own = segmented_element(value, is_head || local_index % THREAD_TILE == 0u, local_index);
  return segmented_exclusive(own, segmented_thread_tile_scan_exclusive(own, local_index).prefix);
}

fn thread_tile_segmented_scan_inclusive_value_total(
  value: Value,
  is_head: bool,
  local_index: u32,
) -> ThreadTileSegmentedScanValue {
  let own = segmented_element(value, is_head || local_index % THREAD_TILE == 0u, local_index);
  let scan = segmented_thread_tile_scan_exclusive(own, local_index);
  return ThreadTileSegmentedScanValue(
    value_from_element(segmented_combine(scan.prefix, own).element),
    segmented_total(own, scan.prefix, scan.total),
  );
}

fn thread_tile_segmented_scan_exclusive_value_total(
  value: Value,
  is_head: bool,
  local_index: u32,
) -> ThreadTileSegmentedScanValue {
  let own = segmented_element(value, is_head || local_index % THREAD_TILE == 0u, local_index);
  let scan = segmented_thread_tile_scan_exclusive(own, local_index);
  return ThreadTileSegmentedScanValue(
    segmented_exclusive(own, scan.prefix),
    segmented_total(own, scan.prefix, scan.total),
  );
}
