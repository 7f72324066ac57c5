// Where runs start is not kept.
// Linked with run_lengths.wgsl. Call from any control flow. No work-group memory.

fn stage_first(at: u32, first: u32) {
}

fn last_staged() -> u32 {
  return 0u;
}
