// Numbers the threads if subgroups may lack lanes. Subgroups with more lanes come first, whichever subgroup starts first.
// So full subgroups take the first runs, the one that lacks lanes takes the last run, and the order of operations is always
// the same.
// Call in uniform control flow, first and once. Linked in place of subgroup_count.wgsl, for languages with and without
// subgroup_id. Work-group memory: a word, and one for each MIN_SUBGROUP_SIZE threads.

struct Invocation {
  @builtin(subgroup_invocation_id) lane: u32,
}

// Subgroups that have started, and how many lanes each of them has.
var<workgroup> subgroups_started: atomic<u32>;
var<workgroup> subgroup_lanes: array<u32, SUBGROUP_SLOTS>;

// The thread's lane, its place among the threads of its subgroup, how many threads the subgroup has, and the subgroup's
// number.
var<private> subgroup_lane: u32;
var<private> subgroup_rank: u32;
var<private> subgroup_count: u32;
var<private> subgroup_number: u32;

fn work_group_thread(invocation: Invocation) -> u32 {
  subgroup_lane = invocation.lane;
  subgroup_rank = subgroupExclusiveAdd(1u);
  subgroup_count = subgroupAdd(1u);
  var started = 0u;
  if (subgroup_rank == 0u) {
    started = atomicAdd(&subgroups_started, 1u);
    subgroup_lanes[started] = subgroup_count;
  }
  started = subgroupBroadcastFirst(started);
  workgroupBarrier();
  var first = 0u;
  var number = 0u;
  for (var other = 0u; other < number_of_subgroups(); other++) {
    let lanes = subgroup_lanes[other];
    if (lanes > subgroup_count || (lanes == subgroup_count && other < started)) {
      first += lanes;
      number++;
    }
  }
  subgroup_number = number;
  return first + subgroup_rank;
}

// Call this after the work-group has met at a barrier.
fn number_of_subgroups() -> u32 {
  return atomicLoad(&subgroups_started);
}
