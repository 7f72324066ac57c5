// Rows of call.columns items are divided into call.row_chunks chunks of SLOT items, of which the last one may have fewer. Each
// chunk is a segment. Call from any control flow. No work-group memory.

// Where a segment starts, and where it ends.
fn span_of_segment(segment: u32, length: u32) -> vec2<u32> {
  let row = segment / call.row_chunks * call.columns;
  let start = row + segment % call.row_chunks * SLOT;
  return vec2<u32>(start, min(start + SLOT, row + call.columns));
}
