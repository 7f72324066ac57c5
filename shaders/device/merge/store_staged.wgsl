// Stores a tile's kept items from work-group memory, where each goes to its place among them first.
// Linked with tile.wgsl, merged_places.wgsl, a places_*.wgsl and output_items.wgsl. Call in uniform control flow.

fn store_items(tile: MergeTile, kept: KeptPlaces, thread: u32, given_sources: array<u32, ITEMS>) {
  var sources = given_sources;
  var items: array<Staged, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (sources[item] != NO_SOURCE) {
      items[item] = staged[sources[item]];
    }
  }
  // All threads have read their keys and their items.
  workgroupBarrier();
  var rank = kept.before;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (sources[item] != NO_SOURCE) {
      staged[rank] = items[item];
      rank += 1u;
    }
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = item * WORK_GROUP_SIZE + thread;
    if (place < kept.count && kept.first + place < call.room) {
      write_item(kept.first + place, staged[place]);
    }
  }
}
