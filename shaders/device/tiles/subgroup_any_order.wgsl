// A tile's total where any order and grouping is as good: each lane combines its own items, and the lanes meet once.
// Call in uniform control flow. No work-group memory. Linked with subgroup.wgsl.
// replaces: with_row, total_of_rows

fn with_row(total: Element, element: Element) -> Element {
  return combine(total, element);
}

fn total_of_rows(total: Element) -> Element {
  return reduce_row(total);
}
