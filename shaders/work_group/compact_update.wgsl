// Stream compaction into a list that work-groups share: slots start from what the counter held before,
// and the counter then holds the number in the list.
// Linked with the sum of u32, after an algorithm and counter.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each kept thread gets its slot, all threads the number kept by the work-group. A thread that is not
// kept gets the slot that it would have had.
// Work-group memory: the algorithm's, and one word.

struct WorkGroupCompaction {
  slot: u32,
  count: u32,
}

fn work_group_compact_update(keep: bool, local_index: u32) -> WorkGroupCompaction {
  let scan = work_group_scan_exclusive(select(0u, 1u, keep), local_index);
  return WorkGroupCompaction(work_group_update(scan.total, local_index) + scan.prefix, scan.total);
}
