// Stores a tile's kept items, which are read again from their ranges.
// Linked with tile.wgsl, a places_*.wgsl, order_noted.wgsl and output_items.wgsl. Call in uniform control flow.

fn store_items(tile: MergeTile, kept: KeptPlaces, thread: u32, sources: array<u32, ITEMS>) {
  workgroupBarrier();
  var items: array<Output, ITEMS>;
  // All loads come first. Otherwise each would wait for the store before it, since the bindings might share memory.
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = item * WORK_GROUP_SIZE + thread;
    if (place < kept.count) {
      items[item] = item_from_source(tile, kept_sources[place]);
    }
  }
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = item * WORK_GROUP_SIZE + thread;
    if (place < kept.count && kept.first + place < call.room) {
      write_item(kept.first + place, items[item]);
    }
  }
}
