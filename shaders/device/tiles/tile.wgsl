// The interface of a tile: how its threads divide its items, and how they scan and reduce them. This file is its simplest
// instance, for work-groups of one thread. portable.wgsl and subgroup.wgsl, each with the files that it is linked with,
// have the same names with the same signatures, and kernels call nothing else of them.
// Call in uniform control flow. Call work_group_thread first, and only once, and pass its result as `thread`.
// No work-group memory. Linked with contract.wgsl and a kernel. total_of_tile needs the kernel's combine_vector.

// The built-in values that the threads are numbered by: a parameter of every entry point.
struct Invocation {
  @builtin(local_invocation_index) index: u32,
}

// A thread's number, 0 to WORK_GROUP_SIZE - 1. It may differ from local_invocation_index.
fn work_group_thread(invocation: Invocation) -> u32 {
  return invocation.index;
}

// The place of a thread's vector among all vectors of the data. `vector` is 0 to VECTORS - 1. No two threads have the same
// place.
fn vector_of(tile: u32, thread: u32, vector: u32) -> u32 {
  return (tile * WORK_GROUP_SIZE + thread) * VECTORS + vector;
}

// A scan that has begun. A kernel reads its total; whatever else it holds is for before_run and run_of.
struct TileScan {
  // All of the tile's elements, combined; the same in all threads.
  total: Element,
}

// Begins a scan of the tile. The total is ready when this returns, since other tiles wait for it.
fn begin_scan(elements: array<Element, ITEMS>, thread: u32) -> TileScan {
  return TileScan(reduce_tile(elements, thread));
}

// What comes before the thread's run in the tile. The kernel combines the carry with it. A run is either the thread's own
// items or those of its subgroup, and finish_run combines what comes before it with its prefixes.
fn before_run(scan: TileScan) -> Element {
  return identity();
}

// The thread's items as finish_run takes them. Kernels call this before they wait for other tiles, and most after they hand on
// the total. So the slow part of the scan belongs here.
fn run_of(scan: TileScan, elements: array<Element, ITEMS>) -> array<Element, ITEMS> {
  return elements;
}

// The prefixes of the thread's items, inclusive or exclusive as select_prefix has it, from what comes before the run.
fn finish_run(run: array<Element, ITEMS>, before: Element) -> array<Element, ITEMS> {
  var own = run;
  var prefix = before;
  for (var item = 0u; item < ITEMS; item++) {
    let earlier = prefix;
    prefix = combine(prefix, own[item]);
    own[item] = select_prefix(earlier, prefix);
  }
  return own;
}

// The tile's total without a scan. Thread 0 gets it.
fn reduce_tile(elements: array<Element, ITEMS>, thread: u32) -> Element {
  var own = elements;
  var sum = identity();
  for (var item = 0u; item < ITEMS; item++) {
    sum = combine(sum, own[item]);
  }
  return sum;
}

// The total of any tile, computed from the input, with the same bits as that of begin_scan. It is slow, but takes few
// registers. Thread 0 gets it.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    sum = combine_vector(sum, vector_of(tile, thread, vector), length);
  }
  return sum;
}
