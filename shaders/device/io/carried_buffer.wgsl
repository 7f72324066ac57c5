// What lies before the first element is in a buffer of its own, as an element: the total of a window of the data before.
// Linked with contract.wgsl.

@group(0) @binding(17) var<storage, read> carried: array<Stored>;

fn initial_element() -> Element {
  return element_from_stored(carried[0]);
}
