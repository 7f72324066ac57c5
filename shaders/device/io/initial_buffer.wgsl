// The initial value is in a range of its own. It comes before the first element.
// Linked with contract.wgsl.

@group(0) @binding(12) var<storage, read> initial: array<Stored>;

fn initial_element() -> Element {
  return element_from_stored(initial[call.initial_base]);
}
