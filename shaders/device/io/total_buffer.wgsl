// The total goes to a range of its own.

@group(0) @binding(5) var<storage, read_write> total: array<Element>;

fn store_total(element: Element) {
  total[params.count_base] = element;
}
