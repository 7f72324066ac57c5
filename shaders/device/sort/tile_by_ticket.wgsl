// Work-groups take tiles in the order in which they start, so that a tile waits only for tiles that others already work on.
// Linked with first_by_look_back.wgsl. Work-group memory: a word.

var<workgroup> ticket: u32;

fn tile_of(work_group: vec3<u32>, thread: u32) -> u32 {
  if (thread == 0u) {
    ticket = atomicAdd(&spine[FIRST_TICKET + call.digit], 1u);
  }
  return workgroupUniformLoad(&ticket);
}
