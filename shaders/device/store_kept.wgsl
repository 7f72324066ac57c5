// Stores the kept items of a tile one after another.
// Linked with contract.wgsl, portable.wgsl or subgroup.wgsl, load_kept.wgsl and output_items.wgsl. Call from any
// control flow. No work-group memory.

// `before`: how many items are kept before each vector.
fn store_kept(tile: u32, thread: u32, kept: Kept, before: array<Element, VECTORS>) {
  var own = kept;
  var places = before;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var place = places[vector];
    let index = vector_of(tile, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (own.is_kept[vector * VECTOR + item]) {
        write_item(place, kept_item(own.items[vector * VECTOR + item], index + item));
        place++;
      }
    }
  }
}
