// The places that a tile's items move to in one pass of a radix sort: by their digits, and those with the same digit in order.
// A tile is blocked: thread t has the items t * ITEMS … t * ITEMS + ITEMS - 1.
// Linked with the sum of u32, after an algorithm.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets the places, or the moved words, of its own items.
// Work-group memory: the algorithm's, and SORT_WORDS words. Reusable when a function returns.
//
// Each thread counts its items by digit, in a column of its own, so that neither atomics nor lanes decide the order. A word of
// the column counts two digits, in 16 bits each: digit d and digit d + SORT_LANES. One scan of one word a thread then adds up
// all columns. So a pass of four bits takes about as many barriers as a split by one bit, and a sort a quarter of them.
// Source: Merrill, Grimshaw, "High Performance and Scalable Radix Sorting", Parallel Processing Letters 21 (2), 2011, and
// CUB's BlockRadixRank.

// The digits' counts, and later the words that move.
var<workgroup> sort_words: array<u32, SORT_WORDS>;

// A word's slot. Threads that access words a power of two apart then use different banks.
fn sort_slot(word: u32) -> u32 {
  return word + (word >> 5u);
}

// Puts the items' places in the place of their digits. Items from `count` on stay where they are.
fn sort_places(digits: ptr<function, array<u32, ITEMS>>, count: u32, local_index: u32) {
  for (var lane = 0u; lane < SORT_LANES; lane++) {
    sort_words[sort_slot(lane * WORK_GROUP_SIZE + local_index)] = 0u;
  }
  // How many items before it the thread has with the same digit.
  var ranks: array<u32, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let digit = (*digits)[item];
    let slot = sort_slot(digit % SORT_LANES * WORK_GROUP_SIZE + local_index);
    let half = digit / SORT_LANES * 16u;
    if (local_index * ITEMS + item < count) {
      let counts = sort_words[slot];
      ranks[item] = extractBits(counts, half, 16u);
      sort_words[slot] = counts + (1u << half);
    }
  }
  workgroupBarrier();

  // In the order of digits, and of threads for each digit. Both halves are summed at once.
  var sum = 0u;
  for (var lane = 0u; lane < SORT_LANES; lane++) {
    sum += sort_words[sort_slot(local_index * SORT_LANES + lane)];
  }
  let scan = work_group_scan_exclusive(sum, local_index);
  // All items that the lower halves count come before those that the upper ones count.
  var before = scan.prefix + (scan.total << 16u);
  for (var lane = 0u; lane < SORT_LANES; lane++) {
    let slot = sort_slot(local_index * SORT_LANES + lane);
    let counts = sort_words[slot];
    sort_words[slot] = before;
    before += counts;
  }
  workgroupBarrier();

  for (var item = 0u; item < ITEMS; item++) { // unroll
    let digit = (*digits)[item];
    let slot = sort_slot(digit % SORT_LANES * WORK_GROUP_SIZE + local_index);
    let place = extractBits(sort_words[slot], digit / SORT_LANES * 16u, 16u) + ranks[item];
    let own = local_index * ITEMS + item;
    (*digits)[item] = select(own, place, own < count);
  }
  workgroupBarrier();
}

// Moves a word of each item to the item's place, and hands each thread those that came to its own places.
fn sort_move(words: ptr<function, array<u32, ITEMS>>, places: ptr<function, array<u32, ITEMS>>, local_index: u32) {
  for (var item = 0u; item < ITEMS; item++) { // unroll
    sort_words[sort_slot((*places)[item])] = (*words)[item];
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    (*words)[item] = sort_words[sort_slot(local_index * ITEMS + item)];
  }
  workgroupBarrier();
}
