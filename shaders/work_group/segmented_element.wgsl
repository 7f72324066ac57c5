// The segmented element of an operator: a scan of these elements is a scan of each segment by itself. An element with a head
// starts a segment.
// Written against Element, identity and combine of the operator. The algorithms are linked with SegmentedElement,
// segmented_identity and segmented_combine in place of these three.
// Threads call these anywhere; no work-group memory.
// Source: Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, section 1.5.

struct SegmentedElement {
  // The combination of the elements since the latest head.
  element: Element,
  // 0 if there is no head among these elements; else 1 + the place of the latest head.
  head: u32,
}

fn segmented_identity() -> SegmentedElement {
  return SegmentedElement(identity(), 0u);
}

fn segmented_combine(earlier: SegmentedElement, later: SegmentedElement) -> SegmentedElement {
  if (later.head != 0u) {
    return later;
  }
  return SegmentedElement(combine(earlier.element, later.element), earlier.head);
}
