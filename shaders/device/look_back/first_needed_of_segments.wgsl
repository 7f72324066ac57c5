// Where a look-back over segments ends. A tile's total is what is open at the tile's end. So if a segment ends in a tile, a look-back needs
// nothing of the tiles before it.
// Linked with element.wgsl and look_back_votes.wgsl. All subgroups are full, with at most 32 lanes. Call in uniform control flow. No
// work-group memory.
// replaces: first_needed

// The last of a group's tiles that is there and in which a segment ends, or the first tile.
fn first_needed(found: Entry, member: u32, tiles: u32) -> u32 {
  let ends = subgroupBallot(found.is_whole && member < tiles && found.element.heads > 0u).x;
  return select(firstLeadingBit(ends), 0u, ends == 0u);
}
