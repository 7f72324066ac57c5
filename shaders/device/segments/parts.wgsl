// Segments with gaps, as their begins and ends give them, of which there are call.segment_count. Segments and gaps together are parts: segment
// n has the number 2n + 1, and the gap behind it 2n + 2. A begin or an end past the end of the data counts as the end. If segments
// overlap, or do not ascend, the number is that of a segment that has the item, or of a gap.
// Linked with contract.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(16) var<storage, read> offsets: array<u32>;
@group(0) @binding(20) var<storage, read> ends: array<u32>;

fn begin_of(segment: u32, length: u32) -> u32 {
  return min(offsets[call.offsets_base + segment], length);
}

fn end_of(segment: u32, length: u32) -> u32 {
  return min(ends[call.ends_base + segment], length);
}

struct Part {
  number: u32,
  // The item behind the part's last one.
  end: u32,
}

// The part that an item is in. It is found by halves.
fn part_of(index: u32, length: u32) -> Part {
  var low = 0u;
  var high = call.segment_count;
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (begin_of(middle, length) <= index) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  if (low > 0u) {
    let end = end_of(low - 1u, length);
    if (index < end) {
      return Part(2u * low - 1u, end);
    }
  }
  var next = length;
  if (low < call.segment_count) {
    next = begin_of(low, length);
  }
  return Part(2u * low, next);
}
