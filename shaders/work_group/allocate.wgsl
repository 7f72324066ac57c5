// Buffer allocation in a kernel: each thread asks for an amount, and gets the offset of a run of its
// own, by one atomic operation a work-group on a counter that all share.
// Linked with the sum of u32 that stays at 2^32 - 1, after an algorithm and counter.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own offset, all threads what they asked for together.
// Work-group memory: the algorithm's, and one word.

struct WorkGroupAllocation {
  // The capacity, where the run does not fit.
  offset: u32,
  total: u32,
  // Whether the run ends within the capacity. A run of nothing always fits.
  fits: bool,
}

fn work_group_allocate(amount: u32, local_index: u32) -> WorkGroupAllocation {
  let scan = work_group_scan_exclusive(amount, local_index);
  let offset = combine(work_group_update(scan.total, local_index), scan.prefix);
  let capacity = allocation_capacity();
  let fits = amount == 0u || (offset <= capacity && amount <= capacity - offset);
  return WorkGroupAllocation(select(capacity, min(offset, capacity), fits), scan.total, fits);
}
