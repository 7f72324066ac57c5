// Keys alone are sorted.

fn load_values(tile: u32, thread: u32, length: u32) {}

fn move_values(
  part: u32,
  own: u32,
  thread: u32,
  ranks: array<u32, ITEMS>,
  places: array<u32, SHARE_ITEMS>,
) {}
