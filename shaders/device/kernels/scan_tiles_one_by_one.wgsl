// As scan_tiles.wgsl, with its items one by one, and for kernels whose total nobody wants.
// Linked with scan_tiles.wgsl and what that is linked with, an output of single items, and one_by_one.wgsl.
// Dispatch at least one work-group a tile; those past the last tile do no harm.
// Work-group memory: the algorithm's.
// replaces: scan_tiles

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * params.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let length = data_length();

  let scan = work_group_scan_exclusive(sum_of_items(tile, thread, length), thread);
  var prefix = combine(load_carry(tile), scan.prefix);
  // What no other thread reads or writes, so that it may be one range.
  let first = vector_of(tile, thread, 0u);
  let end = min(first + ITEMS, length);
  for (var index = first; index < end; index++) {
    let earlier = prefix;
    prefix = combine(prefix, load_element(index));
    write_item(index, item_from_element(select_prefix(earlier, prefix)));
  }
}
