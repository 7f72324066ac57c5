// Rows of params.columns items are divided into params.chunk_rows chunks of SLOT items, of which the last one may have fewer. Each
// chunk is a segment. Call from any control flow. No work-group memory.

// Where a segment starts, and where it ends.
fn span_of_segment(segment: u32, length: u32) -> vec2<u32> {
  let row = segment / params.chunk_rows * params.columns;
  let start = row + segment % params.chunk_rows * SLOT;
  return vec2<u32>(start, min(start + SLOT, row + params.columns));
}
