// All threads of a tile of exact sums read what comes before it, each some of its words: the spine's exclusive prefix at the tile's
// place. They leave it in memory.
// Linked with scan.wgsl and carry_spine.wgsl. Call from any control flow. Work-group memory: that of scan.wgsl.
// replaces: put_carry

fn put_carry(tile: u32, thread: u32) {
  for (var word = thread; word < EXACT_WORDS; word += WORK_GROUP_SIZE) {
    exact_carry[word] = select(0u, spine[tile][word], tile > 0u);
  }
}
