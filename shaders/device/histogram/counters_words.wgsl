// A work-group has COPIES counters for each bin, and its threads take them in turn: few threads then add to the same counter at
// the same time. Work-group memory starts at zero.

var<workgroup> counters: array<atomic<u32>, COUNTERS>;

fn add_to_counter(bin: u32, amount: Amount, thread: u32) {
  atomicAdd(&counters[bin * COPIES + thread % COPIES], amount);
}

fn counter(bin: u32) -> Amount {
  var sum = Amount();
  for (var copy = 0u; copy < COPIES; copy++) {
    // The threads of a subgroup take different copies first, which are in different banks of the memory.
    sum += atomicLoad(&counters[bin * COPIES + (bin + copy) % COPIES]);
  }
  return sum;
}

// Call in uniform control flow.
fn add_counters(thread: u32) {
  workgroupBarrier();
  for (var bin = thread; bin < BINS; bin += WORK_GROUP_SIZE) {
    let sum = counter(bin);
    if (sum != Amount()) {
      add_to_bin(bin, sum);
    }
  }
}
