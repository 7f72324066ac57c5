// The interface of a tile: how its threads divide its items, and how they scan and reduce them. This is its simplest
// instance, right where a work-group has one thread; portable.wgsl and subgroup.wgsl, with what each is linked with, have the
// same names with the same signatures, and kernels call nothing else of them. Where items go one by one, one_by_one.wgsl has
// Items in place of the array of elements, and of prefixes no more than what comes before the run.
// Call in uniform control flow; work_group_thread first, once, and its result as `thread` afterwards.
// No work-group memory. Linked with contract.wgsl and a kernel, which for total_of_tile has combine_vector.

// The built-in values that the threads are numbered by: a parameter of every entry point.
struct Invocation {
  @builtin(local_invocation_index) index: u32,
}

// A thread's number, 0 to WORK_GROUP_SIZE - 1: need not be local_invocation_index.
fn work_group_thread(invocation: Invocation) -> u32 {
  return invocation.index;
}

// The place, among all vectors of the data, of a thread's vector, 0 to VECTORS - 1. Each place is one thread's.
fn vector_of(tile: u32, thread: u32, vector: u32) -> u32 {
  return (tile * WORK_GROUP_SIZE + thread) * VECTORS + vector;
}

// A scan that has begun. A kernel reads its total; whatever else it holds is for before_run and run_of.
struct TileScan {
  // All of the tile's elements, combined; the same in all threads.
  total: Element,
}

// Begins a scan of the tile: its total is there at once, since other tiles wait for it.
fn begin_scan(elements: array<Element, ITEMS>, thread: u32) -> TileScan {
  return TileScan(reduce_tile(elements, thread));
}

// What comes before the thread's run in the tile, for the carry to come before. A run is what prefixes are counted in: the
// thread's own items, or its subgroup's.
fn before_run(scan: TileScan) -> Element {
  return identity();
}

// The thread's items as finish_run takes them. It is called once the total is handed on, and before others are waited for:
// what of the scan takes time is done here.
fn run_of(scan: TileScan, elements: array<Element, ITEMS>) -> array<Element, ITEMS> {
  return scan_run(elements);
}

// The same of items that are in no scan that has begun.
fn scan_run(elements: array<Element, ITEMS>) -> array<Element, ITEMS> {
  return elements;
}

// The prefixes that are asked for of the thread's items, from what comes before the run.
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

// The total alone: thread 0 gets it.
fn reduce_tile(elements: array<Element, ITEMS>, thread: u32) -> Element {
  var own = elements;
  var sum = identity();
  for (var item = 0u; item < ITEMS; item++) {
    sum = combine(sum, own[item]);
  }
  return sum;
}

// The total of any tile, to the last bit as begin_scan has it, from the input: slowly, and in few registers. Thread 0 gets it.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    sum = combine_vector(sum, vector_of(tile, thread, vector), length);
  }
  return sum;
}
