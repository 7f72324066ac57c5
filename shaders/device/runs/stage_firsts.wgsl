// Keeps where staged runs start: one more than the index of the first item of each.
// Linked with run_lengths.wgsl. Call from any control flow. Work-group memory: STAGED words.

var<workgroup> staged_firsts: array<u32, STAGED>;

fn stage_first(at: u32, first: u32) {
  staged_firsts[at] = first + 1u;
}

fn last_staged() -> u32 {
  return staged_firsts[STAGED - 1u];
}
