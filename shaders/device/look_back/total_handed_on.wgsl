// The total of a tile before this one, where all totals are there: in the second dispatch of a scan in place, each tile has handed its own
// on in the first one.
// Linked with look_back.wgsl and scan_in_place.wgsl. Call from any control flow. No work-group memory.
// replaces: total_before

fn total_before(other: u32, thread: u32, length: u32) -> Element {
  return read_place(entry_of_tile(other)).element;
}
