// Stream compaction into a list that work-groups share: slots start from what the counter held before,
// and the counter then holds the number in the list.
// Linked with the sum of u32, after an algorithm and counter.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each kept thread gets its slot, and all threads get the number of threads that the work-group keeps. A thread that is not
// kept gets the slot that it would have had. work_group_compact_update_uniform returns the slot, and writes the number to
// the caller's variable, which may steer control flow.
// Work-group memory: the algorithm's, and one word.

struct WorkGroupCompaction {
  slot: u32,
  count: u32,
}

fn work_group_compact_update(keep: bool, local_index: u32) -> WorkGroupCompaction {
  let scan = work_group_scan_exclusive(select(0u, 1u, keep), local_index);
  return WorkGroupCompaction(work_group_update(scan.total, local_index) + scan.prefix, scan.total);
}

fn work_group_compact_update_uniform(keep: bool, local_index: u32, count: ptr<function, u32>) -> u32 {
  let rank = work_group_scan_exclusive_uniform(select(0u, 1u, keep), local_index, count);
  return work_group_update(*count, local_index) + rank;
}
