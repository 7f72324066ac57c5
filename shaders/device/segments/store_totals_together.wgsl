// Stores the totals of runs side by side: those that end in a tile go to work-group memory first, and from there threads store
// neighbouring ones. If work-group memory has no room for all, the rest follows, round after round.
// Linked in place of store_prefixes.wgsl, with scan_single_pass.wgsl, subgroup.wgsl and totals.wgsl. All subgroups must be full.
// Call in uniform control flow. Work-group memory: STAGED items of the output and as many words, and a word.

// The totals of some runs, and the index of the last item of each.
var<workgroup> staged_totals: array<Output, STAGED>;
var<workgroup> staged_lasts: array<u32, STAGED>;

// How many runs end in the tile.
var<workgroup> ended_runs: u32;

fn store_prefixes(tile: u32, thread: u32, length: u32, prefixes: array<Element, ITEMS>) {
  var own = prefixes;
  let index = tile * TILE;
  // The number of the first run that has items in the tile. It may go on from the tile before.
  let goes_on_here = carry().heads > 0u && index < length && head_at(min(index, max(length, 1u) - 1u)) == 0u;
  let base = carry().heads - select(0u, 1u, goes_on_here);
  if (thread == WORK_GROUP_SIZE - 1u) {
    let next = index + TILE;
    let goes_on = next < length && head_at(min(next, length - 1u)) == 0u;
    ended_runs = select(0u, own[ITEMS - 1u].heads - base - select(0u, 1u, goes_on), index < length);
  }
  if (vector_of(tile, thread, 0u) == 0u) {
    store_key_of_first(length);
  }
  let number = min(workgroupUniformLoad(&ended_runs), TILE);
  for (var first = 0u; first < number; first += STAGED) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let own_first = vector_of(tile, thread, vector) * VECTOR;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        // Within a vector, the next prefix says whether its item starts a segment.
        let prefix = own[vector * VECTOR + item];
        let next = own[vector * VECTOR + min(item + 1u, VECTOR - 1u)];
        var is_last = next.heads != prefix.heads;
        if (own_first + item + 1u >= length || item + 1u == VECTOR) {
          is_last = is_last_of_segment(own_first + item, length);
        }
        let at = prefix.heads - 1u - base - first;
        if (is_last && at < STAGED) {
          staged_totals[at] = item_from_element(prefix);
          staged_lasts[at] = own_first + item;
        }
      }
    }
    workgroupBarrier();
    for (var at = thread; at < min(number - first, STAGED); at += WORK_GROUP_SIZE) {
      let last = staged_lasts[at];
      let place = place_of_segment(last, base + first + at, length);
      if (place < call.room) {
        write_item(place, staged_totals[at]);
      }
      store_key(last + 1u, base + first + at + 1u, length);
    }
    workgroupBarrier();
  }
}
