// Stores kept items first, and the rest after them, both in order. So that the number of all kept items is known when items are moved,
// the spine has one place more than there are tiles.
// Linked with store_kept.wgsl, store_all.wgsl and carry_spine.wgsl. Call from any control flow. No work-group memory.
// replaces: store_item

// As many items of the rest come before an item as there are items before it that are not kept.
fn store_item(is_kept: bool, before: u32, index: u32, item: Output) {
  write_item(select(spine[call.tiles] + index - before, before, is_kept), item);
}
