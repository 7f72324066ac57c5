// The first thread of each tile adds the tile's total to the caller's counter, in one atomic operation.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// All threads of a tile get what the counter held before.
// Work-group memory: one element for each tile.

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
