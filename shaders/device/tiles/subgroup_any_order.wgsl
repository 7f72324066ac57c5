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

// A thread's items combine with what it has.
fn with_items(total: Element, elements: array<Element, ITEMS>) -> Element {
  var own = elements;
  var all = total;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    all = combine(all, own[item]);
  }
  return all;
}

// What the threads have, combined. All of them get it.
fn reduce_threads(total: Element) -> Element {
  return reduce_subgroups(reduce_row(total));
}
