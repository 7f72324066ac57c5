// A whole compaction in one dispatch: each work-group finds out which items of one tile are kept, hands
// on how many, looks back at how many the tiles before it keep, and moves its own to their places.
// Linked with contract.wgsl (Element is u32, the operator is add), an algorithm, load_items.wgsl,
// load_kept.wgsl, store_kept.wgsl, length_*.wgsl, look_back.wgsl, tile_*.wgsl and total_*.wgsl. The output
// is no part of the input.
// Dispatch at least one work-group a tile; those past the last tile end at once.
// Work-group memory: the algorithm's, and the look-back's.

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
  // Before branches of a few lanes, such as the one that hands the total on: a vote wants all lanes, and one driver was
  // seen to count them without the first after that branch.
  let ranks = ranks_of(kept);
  let scan = begin_scan(counts_of(kept), thread);
  hand_on(tile, scan.total, thread);
  let before = before_run(scan);
  look_back(tile, scan.total, thread, length);
  store_kept(tile, thread, kept, ranks, carry() + before);

  if (tile == last_tile(length) && thread == 0u) {
    store_total(carry() + scan.total);
  }
}

// With how many of a vector are kept added, for a tile whose total is computed again.
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
