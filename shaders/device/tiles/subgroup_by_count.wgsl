// Numbers the threads in the order in which their subgroups start, for languages without subgroup_id.
// Call in uniform control flow, first and once. Linked after subgroup_count.wgsl, whose work-group memory it uses.

struct Invocation {
  @builtin(subgroup_invocation_id) lane: u32,
}

fn work_group_thread(invocation: Invocation) -> u32 {
  return count_thread(invocation.lane);
}

fn number_of_subgroups() -> u32 {
  return counted_subgroups();
}
