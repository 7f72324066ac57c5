// No faults. Tests link other declarations in place of these, so that tiles hand on late or not at all.

fn delay_parts(tile: u32) {}

fn delay_sums(tile: u32) {}

fn is_part_withheld(tile: u32, digit: u32) -> bool {
  return false;
}
