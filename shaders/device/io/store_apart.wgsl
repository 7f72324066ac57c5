// Stores every item: those that are kept in the output, and the rest in a range of its own, both in order. Where an item goes depends
// on the items before it alone, so a single pass can store it.
// Linked with store_kept.wgsl and length_*.wgsl. Call from any control flow. No work-group memory.
// replaces: is_stored, stores_all, store_item

@group(0) @binding(15) var<storage, read_write> rest: array<Output>;

fn is_stored(is_kept: bool, index: u32) -> bool {
  return index < data_length();
}

// In a tile whose items are all there, each goes to one range or the other.
fn stores_all(tile: u32) -> bool {
  return (tile + 1u) * TILE <= data_length();
}

// As many items of the rest come before an item as there are items before it that are not kept.
fn store_item(is_kept: bool, before: u32, index: u32, item: Output) {
  // What the two stores have in common comes before the branch.
  let place = select(index - before, before, is_kept);
  if (is_kept) {
    write_item(place, item);
  } else {
    rest[params.unique_base + place] = item;
  }
}
