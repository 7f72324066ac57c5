// The total goes to a range of its own.

@group(0) @binding(5) var<storage, read_write> count_buffer: array<Element>;

fn store_total(element: Element) {
  count_buffer[call.count_base] = element;
}
