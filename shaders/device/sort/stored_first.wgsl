// The first call.stored_per_chunk items of each chunk of a row are stored, those of the row's chunks one after another. So the
// rows get shorter. Linked with segments_by_chunks.wgsl. Call from any control flow. No work-group memory.

// Where the item at a place of a tile goes; NO_ITEM if it is not stored.
fn stored_at(tile: u32, place: u32, index: u32) -> u32 {
  let segment = tile * SLOTS + place / SLOT;
  let at = place % SLOT;
  let others = call.row_chunks - 1u;
  let stored = others * call.stored_per_chunk + min(call.stored_per_chunk, call.columns - others * SLOT);
  let row = segment / call.row_chunks * stored;
  return select(NO_ITEM, row + segment % call.row_chunks * call.stored_per_chunk + at, at < call.stored_per_chunk);
}
