// How the threads of a tile divide its items and rank them by their digits, by the votes of subgroups. Each subgroup has a run of
// items, and takes them in rows, with one item for each lane. A lane's votes tell which lanes of its row have the same digit. The
// subgroup counts the digits of its rows one after another in counters of its own.
// Call in uniform control flow. Call work_group_thread first, and only once, and pass its result as `thread`.
// Linked with the files that number the threads (subgroup_count.wgsl with subgroup_by_id.wgsl or subgroup_by_count.wgsl; or
// subgroup_by_lanes.wgsl), subgroup_ballot.wgsl, and memory.wgsl.
// Work-group memory: that of memory.wgsl, and two words for each MIN_SUBGROUP_SIZE threads.

// The place of a thread's item among all items.
fn place_of(tile: u32, thread: u32, item: u32) -> u32 {
  let first = tile * TILE + (thread - subgroup_rank) * ITEMS;
  return first + item * subgroup_count + subgroup_rank;
}

// The counter of a digit, of those of the subgroup's run.
fn counter_of(digit: u32) -> u32 {
  return subgroup_number * RADIX + digit;
}

// Sets the counters to zero. They are zero when a kernel starts.
fn clear_ranks(thread: u32) {
  for (var at = thread; at < SUBGROUP_SLOTS * RADIX; at += WORK_GROUP_SIZE) {
    atomicStore(&sort_memory[at], 0u);
  }
  workgroupBarrier();
}

// Counts the digits of the tile's items, in the counters of each subgroup's run.
fn count_items(tile: u32, digits: array<u32, ITEMS>, thread: u32) {
  var own = digits;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    atomicAdd(&sort_memory[subgroup_number * RADIX + own[item]], 1u);
  }
  workgroupBarrier();
}

// How many items of the tile have the digit `thread`. Threads past the last digit get 0.
fn count_of_digit(thread: u32) -> u32 {
  var sum = 0u;
  if (thread < RADIX) {
    for (var slot = 0u; slot < SUBGROUP_SLOTS; slot++) { // unroll
      sum += atomicLoad(&sort_memory[slot * RADIX + thread]);
    }
  }
  return sum;
}

var<workgroup> digit_totals: array<vec2<u32>, SUBGROUP_SLOTS>;

// The sums of the threads' values before each thread.
fn scan_digits(value: vec2<u32>, thread: u32) -> vec2<u32> {
  let sum = subgroupInclusiveAdd(value);
  if (subgroup_rank == subgroup_count - 1u) {
    digit_totals[subgroup_number] = sum;
  }
  workgroupBarrier();
  var before = sum - value;
  for (var slot = 0u; slot < SUBGROUP_SLOTS; slot++) { // unroll
    if (slot < subgroup_number) {
      before += digit_totals[slot];
    }
  }
  return before;
}

// Makes the counters those of the items' places in the sorted tile, from the place of the first item of the digit `thread`.
fn set_first_of_digit(first: u32, thread: u32) {
  if (thread < RADIX) {
    var place = first;
    for (var slot = 0u; slot < SUBGROUP_SLOTS; slot++) { // unroll
      let count = atomicLoad(&sort_memory[slot * RADIX + thread]);
      atomicStore(&sort_memory[slot * RADIX + thread], place);
      place += count;
    }
  }
  workgroupBarrier();
}

// The items' places in the sorted tile.
fn rank_items(tile: u32, digits: array<u32, ITEMS>, thread: u32) -> array<u32, ITEMS> {
  var own = digits;
  let everyone = subgroupBallot(true);
  // The votes of all rows come first, so that they are under way together.
  var peers_of: array<vec4<u32>, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    peers_of[item] = lanes_like(own[item], everyone);
  }
  var ranks: array<u32, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    ranks[item] = rank_in_row(own[item], peers_of[item]);
  }
  workgroupBarrier();
  return ranks;
}

// The place of a lane's item of a row, which is counted. Its peers are the lanes whose items have the same digit.
fn rank_in_row(digit: u32, peers: vec4<u32>) -> u32 {
  let others_before = lanes_before(subgroup_lane);
  let counters = subgroup_number * RADIX;
  let before = count_votes(peers & others_before);
  // The last lane of each digit counts for its peers, which get the place of the first one from it.
  let last = last_lane(peers);
  var place = 0u;
  if (last == subgroup_lane) {
    place = atomicAdd(&sort_memory[counters + digit], before + 1u);
  }
  return subgroupShuffle(place, last) + before;
}

// The lanes whose digit is the same.
fn lanes_like(digit: u32, everyone: vec4<u32>) -> vec4<u32> {
  var peers = everyone;
  for (var bit = 0u; bit < DIGIT_BITS; bit++) { // unroll
    let is_set = ((digit >> bit) & 1u) != 0u;
    let votes = subgroupBallot(is_set);
    peers &= select(~votes, votes, is_set);
  }
  return peers;
}

// The highest of some lanes.
fn last_lane(lanes: vec4<u32>) -> u32 {
  if (MAX_SUBGROUP_SIZE <= 32u) {
    return firstLeadingBit(lanes.x);
  }
  if (lanes.w != 0u) {
    return 96u + firstLeadingBit(lanes.w);
  }
  if (lanes.z != 0u) {
    return 64u + firstLeadingBit(lanes.z);
  }
  if (lanes.y != 0u) {
    return 32u + firstLeadingBit(lanes.y);
  }
  return firstLeadingBit(lanes.x);
}
