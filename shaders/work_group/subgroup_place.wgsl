// Where a thread stands in its subgroup, and whether its subgroup is as usual.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own place. No work-group memory.
//
// WGSL promises nothing of how lanes map to local_invocation_index. The usual map (consecutive
// threads in consecutive lanes, runs starting at multiples of MIN_SUBGROUP_SIZE) is verified each
// time, which costs a ballot.

struct SubgroupPlace {
  // The thread's place among its subgroup's active threads, and their number.
  rank: u32,
  count: u32,
  // The local index of the subgroup's first thread.
  first: u32,
  // Whether the subgroup's threads are consecutive, in lanes counted from 0.
  regular: bool,
}

fn subgroup_place(local_index: u32) -> SubgroupPlace {
  let rank = subgroupExclusiveAdd(1u);
  let count = subgroupAdd(1u);
  let first = subgroupBroadcastFirst(local_index);
  // The highest active lane is count - 1 exactly when the active lanes are 0 … count - 1.
  let lanes = subgroupBallot(true);
  var highest = firstLeadingBit(lanes.x);
  if (lanes.y != 0u) {
    highest = 32u + firstLeadingBit(lanes.y);
  }
  if (lanes.z != 0u) {
    highest = 64u + firstLeadingBit(lanes.z);
  }
  if (lanes.w != 0u) {
    highest = 96u + firstLeadingBit(lanes.w);
  }
  let in_order = subgroupAll(local_index == first + rank);
  let full = count >= MIN_SUBGROUP_SIZE || first + count == WORK_GROUP_SIZE;
  return SubgroupPlace(rank, count, first,
    in_order && full && first % MIN_SUBGROUP_SIZE == 0u && highest + 1u == count);
}
