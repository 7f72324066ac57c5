// Where the first item of each digit of a tile goes, if a pass before has counted the digits of all tiles, and a scan has added
// the counts up, digit by digit. Linked with contract.wgsl and tile_by_number.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(3) var<storage, read> spine: array<u32>;

fn hand_on_digits(tile: u32, count: u32, thread: u32) {
}

// The items of the whole data that have the digit `thread`. The spine has it in its sums.
fn items_of_digit(thread: u32) -> u32 {
  return 0u;
}

// The place in the output of the tile's first item whose digit is `thread`. `base` is the sum of items_of_digit before that digit.
fn first_of_digit(tile: u32, count: u32, base: u32, thread: u32, length: u32) -> u32 {
  if (thread >= RADIX) {
    return 0u;
  }
  return spine[thread * params.tiles + tile];
}
