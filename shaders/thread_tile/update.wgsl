// CUDA's inclusive_scan_update and exclusive_scan_update over a thread_block_tile: the first thread of
// each tile adds the tile's total to a counter of the caller's, in one atomic operation, and each
// thread's prefix starts from what the counter held before.
// Linked after thread_tile/functions.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Work-group memory: the algorithm's, and one element a tile.

const THREAD_TILES = (WORK_GROUP_SIZE + THREAD_TILE - 1u) / THREAD_TILE;

var<workgroup> thread_tile_earlier: array<Element, THREAD_TILES>;

fn thread_tile_update(total: Element, local_index: u32) -> Element {
  if (local_index % THREAD_TILE == 0u) {
    thread_tile_earlier[local_index / THREAD_TILE] = counter_update(total);
  }
  workgroupBarrier();
  let earlier = thread_tile_earlier[local_index / THREAD_TILE];
  workgroupBarrier();
  return earlier;
}

fn thread_tile_scan_inclusive_value_update(value: Value, local_index: u32) -> Value {
  let scan = thread_tile_scan_inclusive(element_from_value(value), local_index);
  return value_from_element(combine(thread_tile_update(scan.total, local_index), scan.prefix));
}

fn thread_tile_scan_exclusive_value_update(value: Value, local_index: u32) -> Value {
  let scan = thread_tile_scan_exclusive(element_from_value(value), local_index);
  return value_from_element(combine(thread_tile_update(scan.total, local_index), scan.prefix));
}
