// One work-group reduces one tile, and stores the tile's total at the tile's place.
// Linked with contract.wgsl, an algorithm, load_items.wgsl, an input, output_items.wgsl, result*.wgsl and
// length_*.wgsl.
// Dispatch one work-group for each tile. A grid of several rows may have more. The total is the identity for tiles past the
// end of the data, and for the one tile of an empty input.
// Work-group memory: the algorithm's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn reduce_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);

  let elements = load_items(tile, thread, data_length());
  let total = reduce_tile(elements, thread);
  if (tile < call.tiles && thread == 0u) {
    write_item(tile, item_from_element(result_of(total)));
  }
}
