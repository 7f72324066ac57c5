// Stores the kept items of a tile one after another.
// Linked with contract.wgsl, portable.wgsl or subgroup.wgsl, load_kept.wgsl and output_items.wgsl. Call from any
// control flow. No work-group memory.

// `ranks`: how many of the tile's items are kept before each vector; `first`: where the tile's first kept item
// goes.
fn store_kept(tile: u32, thread: u32, kept: Kept, ranks: array<Element, VECTORS>, first: u32) {
  var own = kept;
  var places = ranks;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var place = first + places[vector];
    let index = vector_of(tile, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (own.is_kept[vector * VECTOR + item]) {
        write_item(place, kept_item(own.items[vector * VECTOR + item], index + item));
        place++;
      }
    }
  }
}
