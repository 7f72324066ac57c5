// One work-group moves the items of one tile to their places, class by class. An item's place is the sum of the carry (how
// many items the classes before have, and the tiles before in its own class) and the number of items of its class that its
// own tile has before it.
// Linked with contract.wgsl (Element is u32, the operator is add), an algorithm, load_kept.wgsl,
// load_one_class.wgsl, store_kept.wgsl, an input, an output, length_*.wgsl and carry_spine.wgsl.
// Dispatch at least one work-group for each tile. Work-groups past the last tile write nothing.
// Work-group memory: the algorithm's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn part_classes(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  for (var class_at = 0u; class_at < CLASSES; class_at++) {
    class_now = class_at;
    let kept = load_kept(tile, thread, data_length());
    // Votes come before branches that only a few lanes take: compact_single_pass.wgsl says why.
    let ranks = ranks_of(kept, thread);
    let part = class_at * call.tiles;
    store_kept(tile, thread, kept, ranks, load_carry(part + min(tile, call.tiles - 1u)));
    // The next class takes the same work-group memory.
    workgroupBarrier();
  }
}
