// One work-group moves the items of one tile to their places. It loads them once, and ranks them by their classes as a sort does by a
// digit. An item's place is the sum of the carry (how many items the classes before have, and the tiles before in its own class) and
// the number of items of its class that its own tile has before it.
// Linked with contract.wgsl (Element is u32, the operator is add), the subgroup algorithm, rank_by_votes.wgsl, memory.wgsl,
// load_classes.wgsl, an input, an output, length_*.wgsl and carry_spine.wgsl.
// Dispatch at least one work-group for each tile. Work-groups past the last tile write nothing.
// Work-group memory: that of rank_by_votes.wgsl.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn part_classes(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let length = data_length();
  var classes = load_classes(tile, thread, length);
  var ranks = rank_items(tile, classes, thread);
  // The counters become the places of each class's first item of each subgroup.
  for (var first = 0u; first < CLASSES; first += WORK_GROUP_SIZE) {
    let class_at = first + thread;
    let part = min(class_at, CLASSES - 1u) * call.tiles;
    set_first_of_digit(load_carry(part + min(tile, call.tiles - 1u)), class_at);
  }
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = vector_of(tile, thread, item);
    if (index < length) {
      let first = atomicLoad(&sort_memory[counter_of(classes[item])]);
      write_item(first + ranks[item], kept_item(own_items[item], index));
    }
  }
}
