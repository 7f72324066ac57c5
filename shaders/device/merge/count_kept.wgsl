// How many of a thread's items are kept.
// Linked with merged_places.wgsl. Call from any control flow. No work-group memory.

fn count_kept(given_sources: array<u32, ITEMS>) -> u32 {
  var sources = given_sources;
  var count = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    count += select(0u, 1u, sources[item] != NO_SOURCE);
  }
  return count;
}
