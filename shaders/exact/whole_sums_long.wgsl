// Scans whole sums that are too long for each thread to have one in work-group memory: f64. It has the function of whole_sums.wgsl.
// Linked with scan.wgsl. Call in uniform control flow. Work-group memory: that of scan.wgsl.

// A thread's sum, whose words are looked up.
var<private> thread_sum: Element;

// Scans whole sums, of which each thread has one: some words at a time, so that they take little memory. What these carry is in one word
// more, and goes on to the next ones.
fn scan_whole_sums(own: Element, thread: u32) -> TileScan {
  const CHUNK = FIXED_WORDS - 1u;
  thread_sum = own;
  // Each flag counts the threads that have it.
  let flags = thread_sum[EXACT_WORDS - 1u] >> 28u;
  let counts = vec2<u32>((flags & 1u) | ((flags & 2u) << 15u), ((flags >> 2u) & 1u) | ((flags & 8u) << 13u));
  thread_sum[EXACT_WORDS - 1u] &= ~EXACT_SEEN;
  var scan: TileScan;
  var carry = 0u;
  var carry_of_total = 0u;
  for (var first = 0u; first < EXACT_WORDS; first += CHUNK) {
    var chunk: Fixed;
    for (var word = 0u; word < min(CHUNK, EXACT_WORDS - first); word++) {
      chunk[word] = thread_sum[first + word];
    }
    scan_threads(chunk, thread);
    var before: Fixed;
    if (thread > 0u) {
      before = take_fixed(thread - 1u);
    }
    var total = take_fixed(WORK_GROUP_SIZE - 1u);
    for (var word = 0u; word < min(CHUNK, EXACT_WORDS - first); word++) {
      let own_word = before[word] + carry;
      carry = select(0u, 1u, own_word < carry);
      scan.before[first + word] = own_word;
      let total_word = total[word] + carry_of_total;
      carry_of_total = select(0u, 1u, total_word < carry_of_total);
      scan.total[first + word] = total_word;
    }
    carry += before[CHUNK];
    carry_of_total += total[CHUNK];
    workgroupBarrier();
  }
  var seen: Fixed;
  seen[0] = counts.x;
  seen[1] = counts.y;
  scan_threads(seen, thread);
  var before: Fixed;
  if (thread > 0u) {
    before = take_fixed(thread - 1u);
  }
  let last = EXACT_WORDS - 1u;
  scan.before[last] = (scan.before[last] & ~EXACT_SEEN) | flags_of_counts(before);
  scan.total[last] = (scan.total[last] & ~EXACT_SEEN) | flags_of_counts(take_fixed(WORK_GROUP_SIZE - 1u));
  return scan;
}

// The flags that at least one thread has.
fn flags_of_counts(counts: Fixed) -> u32 {
  let low = min(vec4<u32>(counts[0] & 0xffffu, counts[0] >> 16u, counts[1] & 0xffffu, counts[1] >> 16u), vec4<u32>(1u));
  return dot(low, vec4<u32>(0x10000000u, 0x20000000u, 0x40000000u, 0x80000000u));
}

// The thread's sum, and its words.
fn put_whole_sum(sum: Element, thread: u32) {
  thread_sum = sum;
}

fn whole_sum_of(thread: u32) -> Element {
  return thread_sum;
}

fn put_sum_word(word: u32, value: u32, thread: u32) {
  thread_sum[word] = value;
}

fn sum_word(word: u32, thread: u32) -> u32 {
  return thread_sum[word];
}
