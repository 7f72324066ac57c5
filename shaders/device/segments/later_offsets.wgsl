// Offsets, counted from the window's first item. Offsets before the window become its start, and offsets after it become its end. So a
// segment that continues after the window is stored with its total so far, and a later window overwrites that total.
// Linked with offsets.wgsl. No work-group memory.
// replaces: offset_at

fn offset_at(segment: u32, length: u32) -> u32 {
  let before = params.length_before;
  return clamp(offsets[params.offsets_base + segment], before, before + length) - before;
}
