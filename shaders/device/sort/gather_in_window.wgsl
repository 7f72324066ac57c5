// The input is a window of longer data: WINDOW items from params.first_place on. Items at other positions are moved by other
// dispatches, which bind other windows. Linked with gather_items.wgsl and what it is linked with. Call from any control flow. No
// work-group memory.
// replaces: gather_item

fn gather_item(index: u32, position: u32) {
  let place = position - params.first_place;
  if (place < WINDOW) {
    write_item(index, read_item(place));
  }
}
