// Segments: parts of the data, each of which is combined on its own. An element holds a value, and how many segments start in the
// elements that it combines. So the operator on these elements combines within segments, and every kernel that takes any
// operator takes this one. The number of starts tells more than a flag would: two prefixes that follow one another differ in
// it if a segment starts between them, and it numbers the segments.
// Linked with contract.wgsl, and a file that declares head_at. The operator on values is declared by other names than in the
// contract: SegmentValue, value_identity and combine_values. Call from any control flow. No work-group memory.

struct Element {
  // The combined values since the last start.
  value: SegmentValue,
  heads: u32,
}

fn identity() -> Element {
  return Element(value_identity(), 0u);
}

fn combine(earlier: Element, later: Element) -> Element {
  let heads = earlier.heads + later.heads;
  if (later.heads > 0u) {
    return Element(later.value, heads);
  }
  return Element(combine_values(earlier.value, later.value), heads);
}

// The element of the item at an index: a segment may start there.
fn with_head(element: Element, index: u32) -> Element {
  return Element(element.value, head_at(index));
}
