// One work-group counts how many items of one tile are in each class, and stores each count in its class's part of the spine.
// What the spine's last place holds before it is scanned does not matter: prefixes are exclusive, and nobody asks for the total.
// Linked with contract.wgsl (Element is u32, the operator is add), an algorithm, load_kept.wgsl,
// load_one_class.wgsl, an input and length_*.wgsl.
// Dispatch one work-group for each tile. A grid of several rows may have more. Tiles past the end of the data have no items.
// Work-group memory: the algorithm's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn count_classes(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  for (var class_at = 0u; class_at < CLASSES; class_at++) {
    class_now = class_at;
    let total = reduce_tile(counts_of(load_kept(tile, thread, data_length())), thread);
    if (tile < call.tiles && thread == 0u) {
      class_counts[class_at * call.tiles + tile] = total;
    }
    // The next class takes the same work-group memory.
    workgroupBarrier();
  }
}

@group(0) @binding(2) var<storage, read_write> class_counts: array<u32>;
