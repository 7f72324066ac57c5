// Stream compaction in a kernel: finds where each kept thread's item goes, in order.
// Linked with the sum of u32, after an algorithm.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each kept thread gets its slot, and all threads get the number of kept threads. A thread that is not kept gets the slot
// that it would have had. work_group_compact_uniform returns the slot, and writes the number to the caller's variable,
// which may steer control flow.
// Work-group memory: the algorithm's.

struct WorkGroupCompaction {
  slot: u32,
  count: u32,
}

fn work_group_compact(keep: bool, local_index: u32) -> WorkGroupCompaction {
  let scan = work_group_scan_exclusive(select(0u, 1u, keep), local_index);
  return WorkGroupCompaction(scan.prefix, scan.total);
}

fn work_group_compact_uniform(keep: bool, local_index: u32, count: ptr<function, u32>) -> u32 {
  return work_group_scan_exclusive_uniform(select(0u, 1u, keep), local_index, count);
}
