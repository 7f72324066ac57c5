// Where segments start: segment n has the items from offsets[n] up to, and not with, offsets[n + 1].
// Linked with contract.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(16) var<storage, read> offsets: array<u32>;

// An offset past the end of the data counts as the end.
fn offset_at(segment: u32, length: u32) -> u32 {
  return min(offsets[params.offsets_base + segment], length);
}
