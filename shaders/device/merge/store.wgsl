// Stores a tile's kept items in their order.
// Linked with tile.wgsl, a places_*.wgsl, an item_*.wgsl and output_items.wgsl. Call from any control flow. A barrier must come between the two
// functions. Work-group memory: TILE words.

// The places in `staged` of the kept items, in their order, so that any thread finds where an item comes from.
var<workgroup> kept_sources: array<u32, TILE>;

fn note_sources(kept: KeptPlaces, given_sources: array<u32, ITEMS>) {
  var sources = given_sources;
  var rank = kept.before;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (sources[item] != NO_SOURCE) {
      kept_sources[rank] = sources[item];
      rank += 1u;
    }
  }
}

fn store_items(tile: MergeTile, kept: KeptPlaces, thread: u32) {
  var items: array<Output, ITEMS>;
  // All loads come first. Otherwise each would wait for the store before it, since the bindings might share memory.
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = item * WORK_GROUP_SIZE + thread;
    if (place < kept.count) {
      items[item] = kept_item(tile, kept_sources[place]);
    }
  }
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = item * WORK_GROUP_SIZE + thread;
    if (place < kept.count && kept.first + place < call.room) {
      write_item(kept.first + place, items[item]);
    }
  }
}
