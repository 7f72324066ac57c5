// Buffer allocation in a kernel: each thread asks for an amount, and gets the offset of a run of its
// own, by one atomic operation a work-group on a counter that all share.
// Linked with the sum of u32 that stays at 2^32 - 1, after an algorithm and allocate_counter.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own offset, all threads what they asked for together. work_group_allocate_uniform writes that to a
// variable of the caller's, too, which may steer control flow.
// Work-group memory: the algorithm's, and two words.

struct WorkGroupAllocation {
  // The capacity, where the run does not fit.
  offset: u32,
  // 2^32 - 1, where it is more.
  total: u32,
  // Whether the run ends within the capacity. A run of nothing always fits.
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
