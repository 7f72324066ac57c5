// Work-groups take tiles in the order in which they start, so that a tile waits only for tiles that
// others already work on. Each run has a counter of its own, which starts at 0, behind the spine's entries.
// Linked with look_back.wgsl. Work-group memory: a word.

var<workgroup> ticket: u32;

fn tile_of(work_group: vec3<u32>, thread: u32) -> u32 {
  if (thread == 0u) {
    ticket = atomicAdd(&spine[2u * call.spine_entries * ENTRY_WORDS + run_number()], 1u);
  }
  return workgroupUniformLoad(&ticket);
}
