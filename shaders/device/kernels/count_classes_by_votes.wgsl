// One work-group counts how many items of one tile are in each class, and stores each count in its class's part of the spine. It loads
// the items once, and ranks them by their classes as a sort does by a digit.
// What the spine's last place holds before it is scanned does not matter: prefixes are exclusive, and nobody asks for the total.
// Linked with contract.wgsl (Element is u32, the operator is add), the subgroup algorithm, rank_by_votes.wgsl, memory.wgsl,
// load_classes.wgsl, an input and length_*.wgsl.
// Dispatch one work-group for each tile. A grid of several rows may have more. Tiles past the end of the data have no items.
// Work-group memory: that of rank_by_votes.wgsl.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn count_classes(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let length = data_length();
  _ = rank_items(tile, load_classes(tile, thread, length), thread);
  // Items past the end counted in the last class.
  let past = TILE - min(TILE, max(length, tile * TILE) - tile * TILE);
  if (tile < call.tiles) {
    for (var class_at = thread; class_at < CLASSES; class_at += WORK_GROUP_SIZE) {
      class_counts[class_at * call.tiles + tile] =
        count_of_digit(class_at) - select(0u, past, class_at == CLASSES - 1u);
    }
  }
}

@group(0) @binding(2) var<storage, read_write> class_counts: array<u32>;
