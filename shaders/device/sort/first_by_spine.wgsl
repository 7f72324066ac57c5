// Where the first item of each digit of a tile goes, if a pass before has counted the digits of all tiles, and a scan has added
// the counts up, digit by digit. Linked with contract.wgsl, memory.wgsl and tile_by_number.wgsl. Call in uniform control flow. Work-group
// memory: that of memory.wgsl.

@group(0) @binding(3) var<storage, read> spine: array<u32>;

fn hand_on_digits(tile: u32, count: u32, thread: u32) {
}

// The items of the whole data that have the digit `thread`. The spine has it in its sums.
fn items_of_digit(thread: u32) -> u32 {
  return 0u;
}

// Leaves in digit_words what is added to the place of an item in the sorted tile to get its place in the output. `before` is how many
// items of the tile, and of the whole data, have lesser digits than `thread`.
fn find_places(tile: u32, count: u32, before: vec2<u32>, thread: u32, length: u32) {
  if (thread < RADIX) {
    atomicStore(&digit_words[thread], spine[thread * call.tiles + tile] - before.x);
  }
  workgroupBarrier();
}
