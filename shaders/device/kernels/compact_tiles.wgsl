// One work-group moves the kept items of one tile to their places. An item's place is the sum of the carry (how many items
// the tiles before keep) and the number of items that its own tile keeps before it.
// Linked with contract.wgsl (Element is u32, the operator is add), an algorithm,
// load_kept.wgsl, store_kept.wgsl, an input, an output, length_*.wgsl and carry_spine.wgsl.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// Work-group memory: the algorithm's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn compact_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let length = data_length();
  if (tile > last_tile(length)) {
    return;
  }

  let kept = load_kept(tile, thread, length);
  // Votes come before branches that only a few lanes take: compact_single_pass.wgsl says why.
  let ranks = ranks_of(kept, thread);
  store_kept(tile, thread, kept, ranks, load_carry(tile));
}
