// How the threads of a tile divide its items and scan them, on an algorithm without subgroups: each thread
// takes consecutive vectors.
// Call in uniform control flow; work_group_thread first, once, and its result as `thread` afterwards.
// Linked after an algorithm of work_group/, whose work-group memory it uses.

struct Invocation {
  @builtin(local_invocation_index) index: u32,
}

fn work_group_thread(invocation: Invocation) -> u32 {
  return invocation.index;
}

// A vector of a thread's: in the order of threads, and of each thread's vectors.
fn vector_of(tile: u32, thread: u32, vector: u32) -> u32 {
  return (tile * WORK_GROUP_SIZE + thread) * VECTORS + vector;
}

struct TileScan {
  // What comes before the thread's first vector in the tile.
  before: Element,
  total: Element,
}

// The tile's total, from the combination of each vector.
fn begin_scan(sums: array<Element, VECTORS>, thread: u32) -> TileScan {
  let scan = work_group_scan_exclusive(sum_of_vectors(sums), thread);
  return TileScan(scan.prefix, scan.total);
}

// What comes before each vector, on top of the tile's carry.
fn finish_scan(sums: array<Element, VECTORS>, scan: TileScan, carry: Element) -> array<Element, VECTORS> {
  var own = sums;
  var before: array<Element, VECTORS>;
  var prefix = scan.before;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    before[vector] = combine(carry, prefix);
    prefix = combine(prefix, own[vector]);
  }
  return before;
}

// The total alone: thread 0 gets it.
fn reduce_vectors(sums: array<Element, VECTORS>, thread: u32) -> Element {
  return work_group_reduce(sum_of_vectors(sums), thread);
}

fn sum_of_vectors(sums: array<Element, VECTORS>) -> Element {
  var own = sums;
  var sum = own[0];
  for (var vector = 1u; vector < VECTORS; vector++) { // unroll
    sum = combine(sum, own[vector]);
  }
  return sum;
}

// The total of any tile, a vector after another: slowly, so that it takes few registers. As a scan's total, since
// a reduction may combine in another order.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    sum = combine(sum, sum_of_vector(vector_of(tile, thread, vector), length));
  }
  return work_group_scan_exclusive(sum, thread).total;
}

// The combination of one element a thread, in two steps with a barrier in between.
fn begin_window(element: Element, thread: u32) -> Element {
  return work_group_reduce(element, thread);
}

fn finish_window(element: Element) -> Element {
  return element;
}
