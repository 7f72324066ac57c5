// How the threads of a tile divide its items and scan them, with an algorithm without subgroups. Each thread takes
// consecutive items, its run.
// Call in uniform control flow. Call work_group_thread first, and only once, and pass its result as `thread`.
// Linked with portable_threads.wgsl and an algorithm of work_group/, whose work-group memory it uses.

// The place of a thread's vector among all vectors, which are ordered by threads, and then by each thread's vectors.
fn vector_of(tile: u32, thread: u32, vector: u32) -> u32 {
  return (tile * WORK_GROUP_SIZE + thread) * VECTORS + vector;
}

struct TileScan {
  // What comes before the thread's run in the tile.
  before: Element,
  total: Element,
}

// Computes the tile's total, and what comes before each thread's run.
fn begin_scan(elements: array<Element, ITEMS>, thread: u32) -> TileScan {
  let scan = work_group_scan_exclusive(sum_of_run(elements), thread);
  return TileScan(scan.prefix, scan.total);
}

// What comes before the run in the tile. The kernel combines the carry with it.
fn before_run(scan: TileScan) -> Element {
  return scan.before;
}

// Returns the items as they are. Scanned here, each item would take one more combination in finish_run.
fn run_of(scan: TileScan, elements: array<Element, ITEMS>) -> array<Element, ITEMS> {
  return elements;
}

// The prefixes of the run's items, from what comes before the run.
fn finish_run(run: array<Element, ITEMS>, before: Element) -> array<Element, ITEMS> {
  var own = run;
  var prefix = before;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let earlier = prefix;
    prefix = combine(prefix, own[item]);
    own[item] = select_prefix(earlier, prefix);
  }
  return own;
}

// The tile's total without a scan. Thread 0 gets it.
fn reduce_tile(elements: array<Element, ITEMS>, thread: u32) -> Element {
  return work_group_reduce(sum_of_run(elements), thread);
}

fn sum_of_run(elements: array<Element, ITEMS>) -> Element {
  var own = elements;
  var sum = own[0];
  for (var item = 1u; item < ITEMS; item++) { // unroll
    sum = combine(sum, own[item]);
  }
  return sum;
}

// The total of any tile. It reads one vector after another, which is slow, but takes few registers. It takes the total of a
// scan, since a reduction may combine in another order.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    sum = combine_vector(sum, vector_of(tile, thread, vector), length);
  }
  return work_group_scan_exclusive(sum, thread).total;
}
