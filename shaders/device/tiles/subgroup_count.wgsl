// Gives each subgroup the next numbers for its threads when it starts, however many lanes it has.
// Call in uniform control flow. Work-group memory: a word.
// Linked with subgroup_by_id.wgsl or subgroup_by_count.wgsl.

// How many threads and subgroups have their number: threads in the lower half, subgroups in the upper half.
var<workgroup> subgroups_counted: atomic<u32>;

// The thread's lane, its place among the threads of its subgroup, how many threads the subgroup has, and the subgroup's
// number.
var<private> subgroup_lane: u32;
var<private> subgroup_rank: u32;
var<private> subgroup_count: u32;
var<private> subgroup_number: u32;

// subgroup_by_id.wgsl calls this in a branch on the subgroups' sizes. All threads see the same sizes, but compilers do not
// know that.
@diagnostic(off, subgroup_uniformity)
fn count_thread(lane: u32) -> u32 {
  subgroup_lane = lane;
  subgroup_rank = subgroupExclusiveAdd(1u);
  subgroup_count = subgroupAdd(1u);
  var counted = 0u;
  if (subgroup_rank == 0u) {
    counted = atomicAdd(&subgroups_counted, (1u << 16u) + subgroup_count);
  }
  counted = subgroupBroadcastFirst(counted);
  subgroup_number = counted >> 16u;
  return (counted & 0xffffu) + subgroup_rank;
}

// Call this after the work-group has met at a barrier.
fn counted_subgroups() -> u32 {
  return atomicLoad(&subgroups_counted) >> 16u;
}
