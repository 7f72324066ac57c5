// Tests link other declarations in place of these, to make tiles late, silent or half-heard.

fn delay_tile(tile: u32) {}

fn is_withheld(place: u32, word: u32) -> bool {
  return false;
}
