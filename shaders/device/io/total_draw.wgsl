// The total goes to a range of its own, and so do the arguments of an indirect draw. The total is the draw's number of
// instances. If INDEXED is true, the draw uses an index buffer.
// Linked with contract.wgsl (Element is u32).

@group(0) @binding(5) var<storage, read_write> count_buffer: array<u32>;
@group(0) @binding(9) var<storage, read_write> indirect: array<u32>;

fn store_total(element: u32) {
  count_buffer[call.count_base] = element;
  indirect[call.indirect_base] = VERTEX_COUNT;
  indirect[call.indirect_base + 1u] = element;
  indirect[call.indirect_base + 2u] = 0u;
  indirect[call.indirect_base + 3u] = 0u;
  if (INDEXED) {
    indirect[call.indirect_base + 4u] = 0u;
  }
}
