// The total of a tile's totals.
// Linked with spine.wgsl and portable_threads.wgsl of device/tiles/. Call in uniform control flow. Work-group memory: that of spine.wgsl.

fn load_items(tile: u32, thread: u32, length: u32) -> Share {
  return share_of(tile, thread / EXACT_WORDS, length);
}

// Thread 0 gets it.
fn reduce_tile(share: Share, thread: u32) -> Element {
  let group = thread / EXACT_WORDS;
  let word = thread % EXACT_WORDS;
  if (group < GROUPS) {
    put_column(group, word, sum_of_share(share, word));
  }
  workgroupBarrier();
  var all: Column;
  if (thread < EXACT_WORDS) {
    for (var other = 0u; other < GROUPS; other++) {
      all = add_columns(all, take_column(other, word));
    }
  }
  workgroupBarrier();
  if (thread < EXACT_WORDS) {
    put_column(0u, word, all);
  }
  workgroupBarrier();
  var sum: Element;
  if (thread == 0u) {
    // What goes from column to column.
    var above = 0u;
    for (var at = 0u; at < EXACT_WORDS; at++) { // unroll
      let own = take_column(0u, at);
      let whole = own.low + above;
      above = own.high + select(0u, 1u, whole < above);
      sum[at] = whole;
    }
    sum[EXACT_WORDS - 1u] = (sum[EXACT_WORDS - 1u] & ~EXACT_SEEN) | spine_seen[0];
  }
  return sum;
}
