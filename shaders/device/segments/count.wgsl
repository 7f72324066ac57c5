// The number of segments goes to a range of its own.
// Linked with element.wgsl.

@group(0) @binding(5) var<storage, read_write> count_buffer: array<u32>;

fn store_total(element: Element) {
  count_buffer[call.count_base] = element.heads;
}
