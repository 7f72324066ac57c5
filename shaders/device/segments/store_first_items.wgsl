// Stores the first item of each run beside the number of its items, which is its total.
// Linked with keys_by_expression.wgsl and totals.wgsl, for a sum of u32 that counts items. No work-group memory.
// replaces: store_total_of_segment

@group(0) @binding(15) var<storage, read_write> first_items: array<Keyed>;

fn store_total_of_segment(last: u32, length: u32, prefix: Element) {
  let place = place_of_segment(last, prefix.heads - 1u, length);
  if (place < call.room) {
    let items = item_from_element(prefix);
    write_item(place, items);
    first_items[call.unique_base + place] = keyed_at(last + 1u - items);
  }
}
