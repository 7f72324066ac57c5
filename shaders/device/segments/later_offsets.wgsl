// Offsets as a window counts items. Those before the window count as its start, and those behind it as its end. So the segment that
// goes on behind the window is stored with what it has so far, and a later window stores it again.
// Linked with places_by_offsets.wgsl. No work-group memory.
// replaces: offset_at

fn offset_at(segment: u32, length: u32) -> u32 {
  let before = params.length_before;
  return clamp(offsets[params.offsets_base + segment], before, before + length) - before;
}
