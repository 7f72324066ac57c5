// A thread holds its items of the merged order, of which all are kept, until the tile's order is in work-group memory.
// Linked with tile.wgsl, places_all.wgsl, an order_*.wgsl and output_items.wgsl. Call in uniform control flow. No work-group memory.

// The consecutive items of the merged order that a thread takes. Past the end of the tile, they mean nothing.
fn merged_items(tile: MergeTile, thread: u32) -> array<Staged, ITEMS> {
  var items: array<Staged, ITEMS>;
  let start = min(thread * ITEMS, tile.count);
  var own = own_in_tile(tile, start);
  var other = tile.own + start - own;
  var own_item = staged[own];
  var other_item = staged[other];
  var own_key = key_of_staged(own_item);
  var other_key = key_of_staged(other_item);
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let takes_own = (own < tile.own) & ((other >= tile.count) | !comes_before(other_key, own_key));
    let source = select(other, own, takes_own);
    note_source(thread * ITEMS + item, source);
    // One load is for either range.
    let next_item = staged[min(source + 1u, TILE)];
    if (takes_own) {
      items[item] = own_item;
      own = source + 1u;
      own_item = next_item;
      own_key = key_of_staged(next_item);
    } else {
      items[item] = other_item;
      other = source + 1u;
      other_item = next_item;
      other_key = key_of_staged(next_item);
    }
  }
  return items;
}

// Stores a tile's items.
fn store_merged(tile: MergeTile, number: u32, thread: u32) -> KeptPlaces {
  var items = merged_items(tile, thread);
  // All threads have read the items of both ranges.
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    staged[thread * ITEMS + item] = items[item];
  }
  workgroupBarrier();
  if (tile.count == TILE) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let place = item * WORK_GROUP_SIZE + thread;
      write_item(tile.start + place, staged[place]);
    }
  } else {
    for (var place = thread; place < tile.count; place += WORK_GROUP_SIZE) {
      write_item(tile.start + place, staged[place]);
    }
  }
  return KeptPlaces(tile.start, tile.count, thread * ITEMS);
}
