// The carry is the initial value, and behind it the spine's exclusive prefix at the tile's place.
// Linked with initial_buffer.wgsl.

@group(0) @binding(3) var<storage, read> spine: array<Element>;

fn load_carry(tile: u32) -> Element {
  if (tile == 0u) {
    return initial_element();
  }
  return combine(initial_element(), spine[tile]);
}
