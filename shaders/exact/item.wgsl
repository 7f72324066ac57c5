// An item of the input as an element. Kernels that combine items in windows replace it: there, an element is the item's bits
// until it is combined.
// Linked with sum.wgsl and float.wgsl. Call from any control flow. No work-group memory.

fn exact_item(x: u32) -> ExactSum {
  return exact_from_bits(x);
}
