// No faults. Tests link other declarations in place of these, so that tiles hand on late, in part or never.

fn delay_tile(tile: u32) {}

fn is_withheld(place: u32, word: u32) -> bool {
  return false;
}
