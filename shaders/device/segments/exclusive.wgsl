// The exclusive prefix where segments start: nothing comes before an item that starts one.
// Linked with element.wgsl. No work-group memory.

fn select_prefix(exclusive: Element, inclusive: Element) -> Element {
  if (exclusive.heads != inclusive.heads) {
    return Element(value_identity(), inclusive.heads);
  }
  return exclusive;
}
