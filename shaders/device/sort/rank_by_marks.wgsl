// Ranks the items of a tile by the order in which their threads arrive at the counters of their digits. That takes no votes. Nothing
// promises that order, so it is checked. If it is not that of the items, the tile ranks them by votes. So only the speed depends on
// what is not promised.
//
// Each item puts a mark at its place in the sorted tile: its digit, and behind that the place that it had. The ranks are right if each
// mark is greater than the one before it: then the items are in order by the digit, and those with equal digits in the order that they
// had. Marks go through the memory in PARTS parts, as items do. Before the marks of a part stands the last one of the part before.
// Linked with rank_by_votes.wgsl and what it is linked with, and rank_by_arrival.wgsl. Call in uniform control flow, once in a work-group:
// nothing sets disorder back.
// Work-group memory: that of the files, and two words.
// replaces: count_items, rank_items

var<workgroup> disorder: atomic<u32>;
var<workgroup> ranks_again: u32;

// What the items found at the counters.
var<private> arrivals: array<u32, ITEMS>;

fn count_items(tile: u32, digits: array<u32, ITEMS>, thread: u32) {
  var own = digits;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let at = arrival_of(item, tile);
    arrivals[at] = atomicAdd(&sort_memory[counter_of(own[at])], 1u);
  }
  workgroupBarrier();
}

fn rank_items(tile: u32, digits: array<u32, ITEMS>, thread: u32) -> array<u32, ITEMS> {
  var own = digits;
  var ranks = arrivals;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    ranks[item] += atomicLoad(&sort_memory[counter_of(own[item])]);
  }
  // The counters of the first subgroup hold the places of each digit's first item, which the marks overwrite.
  var first = 0u;
  if (thread < RADIX) {
    first = atomicLoad(&sort_memory[thread]);
  }
  workgroupBarrier();
  var is_wrong = false;
  for (var part = 0u; part < PARTS; part++) { // unroll
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let place = ranks[item] + 1u - part * SHARE;
      if (PARTS == 1u || place <= SHARE) {
        atomicStore(&sort_memory[place], (own[item] << 16u) | place_of(0u, thread, item));
      }
    }
    workgroupBarrier();
    for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
      let at = item * WORK_GROUP_SIZE + thread;
      let is_first = part == 0u && item == 0u && thread == 0u;
      is_wrong |= !is_first & (atomicLoad(&sort_memory[at + 1u]) <= atomicLoad(&sort_memory[at]));
    }
    if (part + 1u < PARTS) {
      workgroupBarrier();
    }
  }
  if (is_wrong) {
    atomicStore(&disorder, 1u);
  }
  workgroupBarrier();
  if (thread == 0u) {
    ranks_again = atomicLoad(&disorder);
  }
  if (workgroupUniformLoad(&ranks_again) != 0u) {
    clear_ranks(thread);
    count_items(tile, digits, thread);
    set_first_of_digit(first, thread);
    // One row after another, which takes the fewest registers. Each row votes on its own digits, where all lanes are together again.
    let everyone = subgroupBallot(true);
    for (var item = 0u; item < ITEMS; item++) { // unroll
      ranks[item] = rank_in_row(own[item], lanes_like(own[item], everyone));
    }
    workgroupBarrier();
  }
  return ranks;
}
