// A whole compaction in one dispatch. Each work-group finds out which items of one tile are kept, and hands on their
// number. It looks back at the numbers that the tiles before handed on, and moves its own kept items to their places.
// Linked with contract.wgsl (Element is u32, the operator is add), an algorithm,
// load_kept.wgsl, store_kept.wgsl, length_*.wgsl, look_back.wgsl, tile_*.wgsl and total_*.wgsl. The output must not overlap
// the input.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// Work-group memory: that of what ranks the kept items, and the look-back's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn compact_single_pass(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let tile = tile_of(work_group, thread);
  let length = data_length();
  if (tile > last_tile(length)) {
    return;
  }

  let kept = load_kept(tile, thread, length);
  // By subgroups, all votes are in ranks_of. They come before any branch that only a few lanes take, such as the one
  // that hands on the total. After such a branch, one driver was seen to leave the first lane out of a vote.
  let ranks = ranks_of(kept, thread);
  hand_on(tile, ranks.total, thread);
  look_back(tile, ranks.total, thread, length);
  store_kept(tile, thread, kept, ranks, carry());

  if (tile == last_tile(length) && thread == 0u) {
    store_total(carry() + ranks.total);
  }
}

// Adds the number of a vector's kept items to `before`. Only for a tile whose total is computed again.
fn combine_vector(before: Element, place: u32, length: u32) -> Element {
  var items = read_edge(place, length);
  var sum = before;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    let index = place * VECTOR + item;
    if (index < length && keep(items[item], index)) {
      sum++;
    }
  }
  return sum;
}
