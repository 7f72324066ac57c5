// Where segments start: segment n has the items from offsets[n] up to, and not with, offsets[n + 1].
// Linked with contract.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(16) var<storage, read> offsets: array<u32>;

// An offset past the end of the data counts as the end.
fn offset_at(segment: u32, length: u32) -> u32 {
  return min(offsets[call.offsets_base + segment], length);
}

// How many offsets lie at an item or before it. It is found by halves.
fn offsets_up_to(index: u32, length: u32) -> u32 {
  var low = 0u;
  var high = call.segment_count + 1u;
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (offset_at(middle, length) <= index) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low;
}

// The first segment that ends behind an item. It may start behind that item, too.
fn segment_up_from(index: u32, length: u32) -> u32 {
  return max(offsets_up_to(index, length), 1u) - 1u;
}
