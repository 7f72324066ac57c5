// All items of a tile go to the output: each to its place in the merged order.
// Linked with tile.wgsl. Call in uniform control flow. No work-group memory.

struct KeptPlaces {
  // The place in the output of the first kept item of the tile, and how many items it keeps.
  first: u32,
  count: u32,
  // How many of these the threads before keep.
  before: u32,
}

fn kept_places(tile: MergeTile, number: u32, thread: u32, sources: array<u32, ITEMS>) -> KeptPlaces {
  return KeptPlaces(tile.start, tile.count, thread * ITEMS);
}
