// A tile of exact sums, in a single pass or of very many items. Most tiles have items of few binades, so that their sums fit a window of
// WINDOW_WORDS words of the whole sum. Such a tile is scanned in its window. Other tiles are scanned in whole sums, and so is a thread's run
// if what comes before it does not fit the window. Both ways give the same sums, so each tile and each thread chooses for itself.
// It needs no algorithm: sums have the same bits in any order.
// Call in uniform control flow.
// Linked with items.wgsl and what that lists, sum.wgsl and its functions for windows, and whole_sums.wgsl. A thread's sum is in the first words
// of its place in memory if the tile has a window.
// Work-group memory: two words, beside that of whole_sums.wgsl.

// The lowest place of a bit in the tile's items, as a complement, and the highest one of a significand's start.
var<workgroup> exact_lowest: atomic<u32>;
var<workgroup> exact_highest: atomic<u32>;

// The word of the whole sum that the window starts at, or NO_WINDOW.
const NO_WINDOW = 0xffffffffu;
var<private> window_of_tile: u32;

// Finds the tile's window. The result is uniform.
fn find_window(items: Items, thread: u32) -> u32 {
  var own = items.bits;
  var lowest = 0u;
  var highest = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let parts = parts_from_float(own[item]);
    if ((parts.low | parts.high) != 0u) {
      lowest = max(lowest, ~parts.place);
      highest = max(highest, parts.place);
    }
  }
  if (thread == 0u) {
    atomicStore(&exact_lowest, 0u);
    atomicStore(&exact_highest, 0u);
  }
  workgroupBarrier();
  atomicMax(&exact_lowest, lowest);
  atomicMax(&exact_highest, highest);
  let first = workgroupUniformLoad(&exact_lowest);
  let last = workgroupUniformLoad(&exact_highest);
  if (first == 0u) {
    return 0u;
  }
  let window = ~first >> 5u;
  return select(NO_WINDOW, window, last - 32u * window <= MOST_PLACE);
}

// The highest place in a window that leaves room for the bits of the significand, those of the sum of a tile's items, one for
// what comes before the tile, the sign, and four that say what a sum has seen.
const MOST_PLACE = 32u * WINDOW_WORDS - EXACT_FRACTION - 1u - (32u - countLeadingZeros(TILE)) - 6u;

// The sum of a thread's items in the window.
fn sum_in_window(items: Items, thread: u32, window: u32) -> WindowSum {
  var own = items.bits;
  var sum = WindowSum();
  if (has_items(items.tile, thread, items.length)) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      sum = window_combine(sum, window_from_parts(parts_from_float(own[item]), window));
    }
  }
  return sum;
}

// The whole sum of a thread's items. It reads them again, so that no thread holds them for it.
fn sum_of(items: Items, thread: u32) -> Element {
  var sum = identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(items.tile, thread, vector);
    var own = read_edge(place, items.length);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let index = place * VECTOR + item;
      if (index < items.length) {
        sum = combine(sum, exact_from_parts(parts_from_float(float_from_element(element_from_item(own[item], index))), 0u));
      }
    }
  }
  return sum;
}

fn put_sum(thread: u32, sum: WindowSum) {
  var own = sum;
  for (var word = 0u; word < WINDOW_WORDS; word++) { // unroll
    sums_of_threads[thread][word] = own[word];
  }
}

fn take_sum(thread: u32) -> WindowSum {
  var sum: WindowSum;
  for (var word = 0u; word < WINDOW_WORDS; word++) { // unroll
    sum[word] = sums_of_threads[thread][word];
  }
  return sum;
}

// The whole sum of what a thread put into memory in the window.
fn widened(thread: u32, window: u32) -> Element {
  let last = sums_of_threads[thread][WINDOW_WORDS - 1u];
  let signed = bitcast<u32>(bitcast<i32>(last << 4u) >> 4u);
  let above = select(0u, 0xffffffffu, (last & EXACT_SIGN) != 0u);
  var sum: Element;
  for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
    let at = word - window;
    let inside = select(sums_of_threads[thread][min(at, WINDOW_WORDS - 1u)], signed, at == WINDOW_WORDS - 1u);
    sum[word] = select(select(above, inside, at < WINDOW_WORDS), 0u, word < window);
  }
  sum[EXACT_WORDS - 1u] = (sum[EXACT_WORDS - 1u] & ~EXACT_SEEN) | (last & EXACT_SEEN);
  return sum;
}

// Computes the tile's total, and what comes before each thread's run.
fn begin_scan(items: Items, thread: u32) -> TileScan {
  let window = find_window(items, thread);
  window_of_tile = window;
  var scan = TileScan(identity(), identity());
  if (window != NO_WINDOW) {
    var sum = sum_in_window(items, thread, window);
    for (var distance = 1u; distance < WORK_GROUP_SIZE; distance <<= 1u) {
      put_sum(thread, sum);
      workgroupBarrier();
      if (thread >= distance) {
        sum = window_combine(take_sum(thread - distance), sum);
      }
      workgroupBarrier();
    }
    put_sum(thread, sum);
    workgroupBarrier();
    if (thread > 0u) {
      scan.before = widened(thread - 1u, window);
    }
    scan.total = widened(WORK_GROUP_SIZE - 1u, window);
  } else {
    scan = scan_whole_sums(sum_of(items, thread), thread);
  }
  return scan;
}

// The tile's total without a scan. Thread 0 gets it.
fn reduce_tile(items: Items, thread: u32) -> Element {
  let window = find_window(items, thread);
  if (window != NO_WINDOW) {
    var sum = sum_in_window(items, thread, window);
    put_sum(thread, sum);
    for (var distance = 1u; distance < WORK_GROUP_SIZE; distance <<= 1u) {
      workgroupBarrier();
      if (thread % (2u * distance) == 0u && thread + distance < WORK_GROUP_SIZE) {
        sum = window_combine(sum, take_sum(thread + distance));
        put_sum(thread, sum);
      }
    }
    return widened(thread, window);
  }
  var sum = sum_of(items, thread);
  sums_of_threads[thread] = sum;
  for (var distance = 1u; distance < WORK_GROUP_SIZE; distance <<= 1u) {
    workgroupBarrier();
    if (thread % (2u * distance) == 0u && thread + distance < WORK_GROUP_SIZE) {
      sum = combine(sum, sums_of_threads[thread + distance]);
      sums_of_threads[thread] = sum;
    }
  }
  return sum;
}

// The total of any tile. The tile's own window stays.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  let own = window_of_tile;
  let total = begin_scan(load_items(tile, thread, length), thread).total;
  window_of_tile = own;
  return total;
}
