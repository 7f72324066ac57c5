// Scans the threads' sums in fixed point.
// Linked with scan.wgsl. Call in uniform control flow. Work-group memory: that of scan.wgsl.

// What comes before a thread's run. Thread 0 gives what comes before the tile, and the others nothing.
fn scan_runs(items: Items, thread: u32, base: u32, carry: Fixed) -> Fixed {
  scan_threads(fixed_add_run(carry, items.bits, base, atomicLoad(&exact_highest)), thread);
  var before = carry;
  if (thread > 0u) {
    before = take_fixed(thread - 1u);
  }
  return before;
}

// What comes behind the tile.
fn total_of_runs() -> Fixed {
  return take_fixed(WORK_GROUP_SIZE - 1u);
}
