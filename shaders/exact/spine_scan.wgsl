// Scans tiles' totals by columns: each total becomes the sum of those before it, on top of what comes before its tile.
// Dispatch at least one work-group for each tile.
// Linked in place of scan_tiles.wgsl, with spine.wgsl and portable_threads.wgsl of device/tiles/. Generated code declares word_before_tile and put_word. Work-group memory: that of spine.wgsl, and some words.

// The columns of a slot that carry one to the next column.
const CARRY_WORDS = (EXACT_WORDS + 31u) / 32u;
var<workgroup> spine_carries: array<array<atomic<u32>, CARRY_WORDS>, SLOTS>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let group = thread / EXACT_WORDS;
  let word = thread % EXACT_WORDS;
  let is_active = group < GROUPS;
  let share = share_of(tile, group, data_length());
  let most = most_of_share(tile, data_length());
  if (is_active) {
    put_column(group, word, sum_of_share(share, word));
  }
  workgroupBarrier();
  var sum: Column;
  if (is_active) {
    sum = add_to_column(sum, word, word_before_tile(tile, word));
    for (var earlier = 0u; earlier < group; earlier++) {
      sum = add_columns(sum, take_column(earlier, word));
    }
  }
  for (var first = 0u; first < most; first += STEP) {
    workgroupBarrier();
    let at = share.first + first;
    var lows: array<u32, STEP>;
    var seen: array<u32, STEP>;
    if (is_active && at < share.end) {
      var values: array<u32, STEP>;
      for (var step = 0u; step < STEP; step++) { // unroll
        values[step] = word_of_total(min(at + step, share.end - 1u), word);
      }
      for (var step = 0u; step < STEP; step++) { // unroll
        lows[step] = sum.low;
        seen[step] = sum.seen;
        spine_words[group * STEP + step][word] = sum.high;
        sum = add_to_column(sum, word, values[step]);
      }
    }
    for (var slot = thread; slot < SLOTS; slot += WORK_GROUP_SIZE) {
      for (var own = 0u; own < CARRY_WORDS; own++) {
        atomicStore(&spine_carries[slot][own], 0u);
      }
    }
    workgroupBarrier();
    // What the column below hands on.
    if (is_active && word > 0u) {
      for (var step = 0u; step < STEP; step++) { // unroll
        let below = spine_words[group * STEP + step][word - 1u];
        lows[step] += below;
        if (lows[step] < below) {
          atomicOr(&spine_carries[group * STEP + step][word >> 5u], 1u << (word & 31u));
        }
      }
    }
    workgroupBarrier();
    if (is_active) {
      for (var step = 0u; step < STEP; step++) { // unroll
        spine_words[group * STEP + step][word] = lows[step];
      }
    }
    workgroupBarrier();
    for (var slot = thread; slot < SLOTS; slot += WORK_GROUP_SIZE) {
      carry_through(slot);
    }
    workgroupBarrier();
    if (is_active) {
      for (var step = 0u; step < STEP; step++) { // unroll
        if (at + step < share.end) {
          let whole = spine_words[group * STEP + step][word];
          put_word(at + step, word, select(whole, (whole & ~EXACT_SEEN) | seen[step], word == EXACT_WORDS - 1u));
        }
      }
    }
  }
}

// Carries through the columns of a slot.
fn carry_through(slot: u32) {
  var carry = 0u;
  for (var at = 0u; at < CARRY_WORDS; at++) {
    let carries = atomicLoad(&spine_carries[slot][at]);
    if ((carries | carry) != 0u) {
      for (var word = 32u * at; word < min(32u * at + 32u, EXACT_WORDS); word++) {
        let whole = spine_words[slot][word] + carry;
        carry = select(0u, 1u, whole < carry) | ((carries >> (word & 31u)) & 1u);
        spine_words[slot][word] = whole;
      }
    }
  }
}
