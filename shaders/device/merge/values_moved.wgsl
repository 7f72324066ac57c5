// A value of each item goes where the item goes.
// Linked with tile.wgsl, a places_*.wgsl and order_noted.wgsl. Generated with it: an alias Value. A barrier must come before. No work-group memory.

@group(0) @binding(17) var<storage, read> values: array<Value>;

// The values of the other range's items.
@group(0) @binding(15) var<storage, read> rest: array<Value>;

@group(0) @binding(18) var<storage, read_write> reordered: array<Value>;

fn value_from_source(tile: MergeTile, source: u32) -> Value {
  if (source < tile.own) {
    return values[call.values_base + tile.first + source];
  }
  return rest[call.rest_base + tile.other + source - tile.own];
}

fn move_values(tile: MergeTile, kept: KeptPlaces, thread: u32) {
  let to = call.reordered_base + kept.first;
  if (kept.count < TILE) {
    for (var place = thread; place < kept.count; place += WORK_GROUP_SIZE) {
      reordered[to + place] = value_from_source(tile, kept_sources[place]);
    }
    return;
  }
  var own: array<Value, ITEMS>;
  // All values are read before the first one is written. Otherwise each read would wait for the write before it, since the bindings might
  // share memory.
  for (var item = 0u; item < ITEMS; item++) { // unroll
    own[item] = value_from_source(tile, kept_sources[item * WORK_GROUP_SIZE + thread]);
  }
  for (var item = 0u; item < ITEMS; item++) { // unroll
    reordered[to + item * WORK_GROUP_SIZE + thread] = own[item];
  }
}
