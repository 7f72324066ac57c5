// Buffer allocation in a kernel: each thread asks for an amount, and gets the offset of a run of its own. A work-group
// usually takes one atomic operation on a counter that all work-groups share.
// Linked with a sum of u32 that stops at 2^32 - 1, after an algorithm and allocate_counter.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own offset. All threads get the total, which is the sum of their amounts.
// work_group_allocate_uniform also writes the total to the caller's variable, which may steer control flow.
// Work-group memory: the algorithm's, and two words.

struct WorkGroupAllocation {
  // Where the thread's run starts; the capacity if the run does not fit.
  offset: u32,
  // The sum of all amounts, at most 2^32 - 1.
  total: u32,
  // Whether the run ends within the capacity. An empty run always fits.
  fits: bool,
}

fn work_group_allocate(amount: u32, local_index: u32) -> WorkGroupAllocation {
  let scan = work_group_scan_exclusive(amount, local_index);
  return allocation_run(amount, scan.prefix, scan.total, local_index);
}

fn work_group_allocate_uniform(
  amount: u32,
  local_index: u32,
  total: ptr<function, u32>,
) -> WorkGroupAllocation {
  let prefix = work_group_scan_exclusive_uniform(amount, local_index, total);
  return allocation_run(amount, prefix, *total, local_index);
}
