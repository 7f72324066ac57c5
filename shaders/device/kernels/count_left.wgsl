// Counts the elements that a selection has left by their next digit, unless the selection is done. Each work-group takes a tile
// after another, tiles that are as far apart as there are work-groups.
// Linked with contract.wgsl, histogram.wgsl and what that takes, select/selection.wgsl and select/tally_left.wgsl. The bins must be
// zero at the start.
// Dispatch any number of work-groups. A grid of several rows may have more than call.tiles; these add nothing.
// Work-group memory: that of the counters.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn count_left(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let number = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  let is_idle = selection.done != 0u || length == 0u || number >= call.tiles;
  let tiles = select(last_tile(length) + 1u, 0u, is_idle);
  for (var tile = number; tile < tiles; tile += call.tiles) {
    tally_tile(tile, thread, length);
  }
  end_tally(thread);
  add_counters(thread);
}
