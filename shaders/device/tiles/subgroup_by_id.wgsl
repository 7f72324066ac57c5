// Numbers the threads by their subgroup's number and their lane, for languages that have subgroup_id. If a subgroup is not
// full, threads are counted as they start.
// Call in uniform control flow, first and once. Linked after subgroup_count.wgsl, whose work-group memory it uses.

struct Invocation {
  @builtin(subgroup_id) subgroup: u32,
  @builtin(num_subgroups) subgroups: u32,
  @builtin(subgroup_invocation_id) lane: u32,
  @builtin(subgroup_size) size: u32,
}

// The number of subgroups, or 0 if threads were counted.
var<private> subgroups_by_id: u32;

fn work_group_thread(invocation: Invocation) -> u32 {
  // If the adapter has only one size, it is a constant here, since shuffles are faster with a constant.
  let size = select(invocation.size, MIN_SUBGROUP_SIZE, MIN_SUBGROUP_SIZE == MAX_SUBGROUP_SIZE);
  if (invocation.subgroups * size != WORK_GROUP_SIZE || size != invocation.size) {
    return count_thread(invocation.lane);
  }
  subgroup_lane = invocation.lane;
  subgroup_rank = invocation.lane;
  subgroup_count = size;
  subgroup_number = invocation.subgroup;
  subgroups_by_id = WORK_GROUP_SIZE / size;
  return subgroup_number * size + subgroup_rank;
}

fn number_of_subgroups() -> u32 {
  if (subgroups_by_id != 0u) {
    return subgroups_by_id;
  }
  return counted_subgroups();
}
