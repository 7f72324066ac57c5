// The carry is the spine's exclusive prefix at the tile's place.

@group(0) @binding(3) var<storage, read> spine: array<Element>;

fn load_carry(tile: u32) -> Element {
  if (tile == 0u) {
    return identity();
  }
  return spine[tile];
}
