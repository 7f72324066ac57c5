// Stores the kept items of a tile one after another.
// Linked with contract.wgsl, portable.wgsl or subgroup.wgsl, load_kept.wgsl and output_items.wgsl. Call from any
// control flow. No work-group memory.

// `before`: how many items are kept before the thread's run.
fn store_kept(tile: u32, thread: u32, kept: Kept, before: Element) {
  var items = kept.items;
  var counts = counts_of(kept);
  var places = scan_run(counts);
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let index = vector_of(tile, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (counts[vector * VECTOR + item] != 0u) {
        write_item(before + places[vector * VECTOR + item], kept_item(items[vector * VECTOR + item], index + item));
      }
    }
  }
}
