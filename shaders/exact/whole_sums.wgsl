// Scans whole sums, of which each thread has one, in work-group memory.
// Call in uniform control flow. Work-group memory: WORK_GROUP_SIZE elements.

// Each thread's sum.
var<workgroup> sums_of_threads: array<Element, WORK_GROUP_SIZE>;

fn scan_whole_sums(own: Element, thread: u32) -> TileScan {
  var scan = TileScan(identity(), identity());
  var sum = own;
  for (var distance = 1u; distance < WORK_GROUP_SIZE; distance <<= 1u) {
    sums_of_threads[thread] = sum;
    workgroupBarrier();
    if (thread >= distance) {
      sum = combine(sums_of_threads[thread - distance], sum);
    }
    workgroupBarrier();
  }
  sums_of_threads[thread] = sum;
  workgroupBarrier();
  if (thread > 0u) {
    scan.before = sums_of_threads[thread - 1u];
  }
  scan.total = sums_of_threads[WORK_GROUP_SIZE - 1u];
  workgroupBarrier();
  return scan;
}

// The thread's sum, and its words.
fn put_whole_sum(sum: Element, thread: u32) {
  sums_of_threads[thread] = sum;
}

fn whole_sum_of(thread: u32) -> Element {
  return sums_of_threads[thread];
}

fn put_sum_word(word: u32, value: u32, thread: u32) {
  sums_of_threads[thread][word] = value;
}

fn sum_word(word: u32, thread: u32) -> u32 {
  return sums_of_threads[thread][word];
}
