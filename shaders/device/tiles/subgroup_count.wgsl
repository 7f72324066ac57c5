// Gives each subgroup the next run of threads when it starts, whatever the number of its lanes.
// Call in uniform control flow. Work-group memory: a word.
// Linked with subgroup_by_id.wgsl or subgroup_by_count.wgsl.

// Threads that have their number, in the lower half, and subgroups, in the upper half.
var<workgroup> subgroups_counted: atomic<u32>;

// The thread's lane, its place among its subgroup's threads, their number, and the subgroup's own.
var<private> subgroup_lane: u32;
var<private> subgroup_rank: u32;
var<private> subgroup_count: u32;
var<private> subgroup_number: u32;

// Where it is called for some adapters alone, all threads see the same sizes: compilers do not know that.
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

// Once the work-group has met at a barrier.
fn counted_subgroups() -> u32 {
  return atomicLoad(&subgroups_counted) >> 16u;
}
