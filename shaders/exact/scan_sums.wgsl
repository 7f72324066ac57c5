// Scans whole sums, of which each thread has one.
// Linked with tiles.wgsl. Call in uniform control flow. Work-group memory: that of tiles.wgsl.

fn scan_sums(own: Element, thread: u32) -> TileScan {
  var scan = TileScan(identity(), identity());
  var sum = own;
  for (var distance = 1u; distance < WORK_GROUP_SIZE; distance <<= 1u) {
    exact_memory[thread] = sum;
    workgroupBarrier();
    if (thread >= distance) {
      sum = combine(exact_memory[thread - distance], sum);
    }
    workgroupBarrier();
  }
  exact_memory[thread] = sum;
  workgroupBarrier();
  if (thread > 0u) {
    scan.before = exact_memory[thread - 1u];
  }
  scan.total = exact_memory[WORK_GROUP_SIZE - 1u];
  workgroupBarrier();
  return scan;
}
