// The scans that a caller's own kernel calls: CUDA's inclusive_scan and exclusive_scan over a
// thread_block_tile, on the caller's values. Linked after an algorithm of thread_tile/; linking puts the
// tile's size, the operator and the type into each name, as in thread_tile_8_scan_exclusive_add_u32.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix in its tile, and all of a tile get its total.
// Work-group memory: the algorithm's.

struct ThreadTileScanValue {
  prefix: Value,
  total: Value,
}

fn thread_tile_scan_inclusive_value(value: Value, local_index: u32) -> Value {
  return value_from_element(thread_tile_scan_inclusive(element_from_value(value), local_index).prefix);
}

fn thread_tile_scan_exclusive_value(value: Value, local_index: u32) -> Value {
  return value_from_exclusive(thread_tile_scan_exclusive(element_from_value(value), local_index).prefix);
}

fn thread_tile_scan_inclusive_value_total(value: Value, local_index: u32) -> ThreadTileScanValue {
  let scan = thread_tile_scan_inclusive(element_from_value(value), local_index);
  return ThreadTileScanValue(value_from_element(scan.prefix), value_from_element(scan.total));
}

fn thread_tile_scan_exclusive_value_total(value: Value, local_index: u32) -> ThreadTileScanValue {
  let scan = thread_tile_scan_exclusive(element_from_value(value), local_index);
  return ThreadTileScanValue(value_from_exclusive(scan.prefix), value_from_element(scan.total));
}
