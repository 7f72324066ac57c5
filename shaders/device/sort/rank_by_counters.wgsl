// How the threads of a tile divide its items and rank them by their digits, without subgroups. A thread takes consecutive items,
// and has a counter for each digit. The scan of all counters, digit by digit, ranks the items. It has the same functions as
// rank_by_votes.wgsl.
// Only its own thread writes a counter meanwhile, but it is added to as if others did: with a load and a store in 124 steps, NVIDIA's
// driver 580.159 let two equal items of a thread have one rank.
// Call in uniform control flow. Call work_group_thread first, and only once, and pass its result as `thread`.
// Linked with the contract of sums of u32, an algorithm of shaders/work_group/ with tiles/portable.wgsl, and memory.wgsl.
// Work-group memory: that of memory.wgsl and of the algorithm, and two words for each digit.

fn place_of(tile: u32, thread: u32, item: u32) -> u32 {
  return tile * TILE + thread * ITEMS + item;
}

fn clear_ranks(thread: u32) {
  for (var digit = 0u; digit < RADIX; digit++) {
    atomicStore(&sort_memory[digit * WORK_GROUP_SIZE + thread], 0u);
  }
}

fn count_items(tile: u32, digits: array<u32, ITEMS>, thread: u32) {
  var own = digits;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    atomicAdd(&sort_memory[own[item] * WORK_GROUP_SIZE + thread], 1u);
  }
  workgroupBarrier();
  // Each thread takes as many consecutive counters as there are digits.
  var sum = 0u;
  for (var at = 0u; at < RADIX; at++) {
    sum += atomicLoad(&sort_memory[thread * RADIX + at]);
  }
  var before = work_group_scan_exclusive(sum, thread).prefix;
  for (var at = 0u; at < RADIX; at++) {
    let count = atomicLoad(&sort_memory[thread * RADIX + at]);
    atomicStore(&sort_memory[thread * RADIX + at], before);
    before += count;
  }
  workgroupBarrier();
}

fn count_of_digit(thread: u32) -> u32 {
  if (thread >= RADIX) {
    return 0u;
  }
  let first = atomicLoad(&sort_memory[thread * WORK_GROUP_SIZE]);
  if (thread == RADIX - 1u) {
    return TILE - first;
  }
  return atomicLoad(&sort_memory[(thread + 1u) * WORK_GROUP_SIZE]) - first;
}

var<workgroup> digit_values: array<vec2<u32>, RADIX>;

fn scan_digits(value: vec2<u32>, thread: u32) -> vec2<u32> {
  if (thread < RADIX) {
    digit_values[thread] = value;
  }
  workgroupBarrier();
  var before = vec2<u32>();
  for (var digit = 0u; digit < min(thread, RADIX); digit++) {
    before += digit_values[digit];
  }
  return before;
}

// The counters hold it.
fn set_first_of_digit(first: u32, thread: u32) {}

fn rank_items(tile: u32, digits: array<u32, ITEMS>, thread: u32) -> array<u32, ITEMS> {
  var own = digits;
  var ranks: array<u32, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    ranks[item] = atomicAdd(&sort_memory[own[item] * WORK_GROUP_SIZE + thread], 1u);
  }
  workgroupBarrier();
  return ranks;
}
