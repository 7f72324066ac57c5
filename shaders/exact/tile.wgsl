// What a scan of a tile of exact sums has in common with portable.wgsl of device/tiles/: a thread takes consecutive items, its run.
// Linked with portable_threads.wgsl of device/tiles/. Call from any control flow. No work-group memory.

// The place of a thread's vector among all vectors, which are ordered by threads, and then by each thread's vectors.
fn vector_of(tile: u32, thread: u32, vector: u32) -> u32 {
  return (tile * WORK_GROUP_SIZE + thread) * VECTORS + vector;
}

struct TileScan {
  // What comes before the thread's run in the tile.
  before: Element,
  total: Element,
}
