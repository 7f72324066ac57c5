// A single pass for a length that only the GPU knows. It has fewer work-groups than the longest data has tiles, and each takes
// one tile after another: to start a work-group takes as long for short data as for long.
//
// Work-groups take the tiles in order, by tickets. So a tile waits only for tiles that others have begun. If each work-group
// took every thousandth tile, it could wait for one that starts only when another work-group ends.
//
// Linked with scan_single_pass.wgsl, which declares take_tile, and what that is linked with.
// Each run has a counter of its own, which starts at 0, behind the spine's entries.
// Dispatch at least one work-group. Work-groups whose number is past the last tile end at once.
// Work-group memory: that of take_tile, and a word.
// replaces: scan_single_pass, after_look_back

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_single_pass(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let length = data_length();
  let last = last_tile(length);
  if (work_group.y * call.grid_width + work_group.x > last) {
    return;
  }
  after_look_back(thread);
  for (var tile = workgroupUniformLoad(&tile_taken); tile <= last; tile = workgroupUniformLoad(&tile_taken)) {
    take_tile(tile, thread, length);
  }
}

var<workgroup> tile_taken: u32;

// Takes the next tile, and makes the look-back's memory as it was before the first one.
fn after_look_back(thread: u32) {
  if (thread == 0u) {
    tile_taken = atomicAdd(&spine[2u * call.spine_entries * ENTRY_WORDS + run_number()], 1u);
    look_back_is_found = 0u;
    atomicStore(&look_back_stops, 0u);
  }
}
