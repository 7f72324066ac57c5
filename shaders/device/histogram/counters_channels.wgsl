// A work-group has counters for the bins of all channels.
// Linked with counters_*.wgsl.
// replaces: add_counters

// Call in uniform control flow.
fn add_counters(thread: u32) {
  workgroupBarrier();
  for (var bin = thread; bin < CHANNELS * BINS; bin += WORK_GROUP_SIZE) {
    let sum = counter(bin);
    if (sum != Amount()) {
      add_to_bin(bin, sum);
    }
  }
}
