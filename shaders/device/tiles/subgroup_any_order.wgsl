// A tile's total for operators that may combine in any order and grouping. Each lane combines its own items, and then the
// lanes combine their results once.
// Call in uniform control flow. No work-group memory. Linked with subgroup.wgsl.
// replaces: with_row, total_of_rows

fn with_row(total: Element, element: Element) -> Element {
  return combine(total, element);
}

fn total_of_rows(total: Element) -> Element {
  return reduce_row(total);
}
