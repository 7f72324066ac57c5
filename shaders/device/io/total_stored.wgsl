// The total goes to a range of its own, as an item.
// Linked with contract.wgsl.

@group(0) @binding(13) var<storage, read_write> total: array<Stored>;

fn store_total(element: Element) {
  total[call.total_base] = stored_from_element(element);
}
