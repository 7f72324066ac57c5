// Stores kept items in the output, and the rest in a range of its own, both in order. Where an item goes depends on the items before it
// alone, so a single pass can store it.
// Linked with store_kept.wgsl and store_all.wgsl. Call from any control flow. No work-group memory.
// replaces: store_item

@group(0) @binding(15) var<storage, read_write> rest: array<Output>;

// As many items of the rest come before an item as there are items before it that are not kept.
fn store_item(is_kept: bool, before: u32, index: u32, item: Output) {
  // What the two stores have in common comes before the branch.
  let place = select(index - before, before, is_kept);
  if (is_kept) {
    write_item(place, item);
  } else {
    rest[call.rest_base + place] = item;
  }
}
