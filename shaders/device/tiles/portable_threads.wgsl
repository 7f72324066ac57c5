// How the threads of a tile are numbered, if nothing depends on subgroups.
// Call from any control flow. No work-group memory.

struct Invocation {
  @builtin(local_invocation_index) index: u32,
}

fn work_group_thread(invocation: Invocation) -> u32 {
  return invocation.index;
}
