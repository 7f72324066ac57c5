// A stable split by one bit, as radix sorts use it: the threads whose flag is false come first, then those whose flag is true,
// both in order.
// Linked with the sum of u32, after an algorithm.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own place, and all threads get the number of threads whose flag is false. work_group_split_uniform
// writes that number to the caller's variable, which may steer control flow.
// Work-group memory: the algorithm's.
// Source: Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, section 1.3.

struct WorkGroupSplit {
  place: u32,
  total_falses: u32,
}

fn work_group_split_total(flag: bool, local_index: u32) -> WorkGroupSplit {
  let falses = work_group_scan_exclusive(select(1u, 0u, flag), local_index);
  return WorkGroupSplit(
    select(falses.prefix, falses.total + local_index - falses.prefix, flag),
    falses.total,
  );
}

fn work_group_split(flag: bool, local_index: u32) -> u32 {
  return work_group_split_total(flag, local_index).place;
}

fn work_group_split_uniform(flag: bool, local_index: u32, total_falses: ptr<function, u32>) -> u32 {
  let prefix = work_group_scan_exclusive_uniform(select(1u, 0u, flag), local_index, total_falses);
  return select(prefix, *total_falses + local_index - prefix, flag);
}
