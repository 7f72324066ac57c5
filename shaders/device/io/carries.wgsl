// What windows hand on lies in one buffer, as elements: the total of the data up to, and with, a window. A window reads that of the
// one before it, and writes its own beside it, so that it may be carried out again.
// Linked with contract.wgsl.

@group(0) @binding(17) var<storage, read_write> carries: array<Stored>;

fn initial_element() -> Element {
  return element_from_stored(carries[(params.window + 1u) % 2u]);
}

fn store_total(element: Element) {
  carries[params.window % 2u] = stored_from_element(element);
}
