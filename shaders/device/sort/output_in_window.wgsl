// The output is a window of longer data: WINDOW items from params.first_place on. Items with other places are stored by other
// dispatches, which bind other windows. Linked with io/output_items.wgsl. Call from any control flow. No work-group memory.
// replaces: write_item

fn write_item(index: u32, item: Output) {
  let place = index - params.first_place;
  if (place < WINDOW) {
    output[params.output_base + place] = item;
  }
}
