// How a tile of exact sums finds what comes before it: all threads read at once, each one total of the tile's own group or of those
// before it, and one thread of each group its carry. What they found is added up word by word, since integers are associative. All
// work-groups that compute a total or a carry write the same bits, so it may be an owner's or a stand-in's.
// Linked with look_back_threads.wgsl and tiles.wgsl. Call in uniform control flow.
// Work-group memory: that of tiles.wgsl, an element, four words for each word of an element or for each thread, and three words.
// replaces: find_carry

// The groups that are read at once.
const GROUPS_AT_ONCE = WORK_GROUP_SIZE / FAN_OUT;

// Of how many attempts one looks for what a stand-in handed on.
const ASIDE = 8u;

// The nearest group whose carry was found, and the nearest that lacks a total.
var<workgroup> look_back_nearest: atomic<u32>;
var<workgroup> look_back_lacking: atomic<u32>;

// The carry that was found, and what any of the sums has seen.
var<workgroup> look_back_start: Element;
var<workgroup> look_back_seen: atomic<u32>;

// Sums of words by parts of the totals: of the lower and the higher halves of words.
const SUM_PARTS = max(1u, WORK_GROUP_SIZE / EXACT_WORDS);
var<workgroup> look_back_lows: array<u32, EXACT_WORDS * SUM_PARTS>;
var<workgroup> look_back_highs: array<u32, EXACT_WORDS * SUM_PARTS>;

fn find_carry(tile: u32, total: Element, thread: u32) {
  let own_group = tile / FAN_OUT;
  let away = thread / FAN_OUT;
  let member = thread % FAN_OUT;
  let is_inside = away < GROUPS_AT_ONCE && away <= own_group;
  let group = select(0u, own_group - away, is_inside);
  let takes_total = is_inside && (away > 0u || member < tile % FAN_OUT);
  let takes_carry = is_inside && member == 0u;
  var own = Entry(!takes_total, identity());
  var before = Entry(group == 0u, identity());
  var nearest = GROUPS_AT_ONCE;
  for (var attempt = 0u; attempt < PATIENCE; attempt++) {
    if (thread == 0u) {
      atomicStore(&look_back_nearest, GROUPS_AT_ONCE);
      atomicStore(&look_back_lacking, GROUPS_AT_ONCE);
    }
    workgroupBarrier();
    let places = select(0u, entries(), attempt % ASIDE == ASIDE - 1u);
    if (!own.is_whole) {
      own = read_place(places + entry_of_tile(group * FAN_OUT + member));
    }
    if (takes_carry && !before.is_whole) {
      before = read_place(places + entry_of_carry(group));
    }
    if (!own.is_whole) {
      atomicMin(&look_back_lacking, away);
    }
    if (takes_carry && before.is_whole) {
      atomicMin(&look_back_nearest, away);
    }
    let found = workgroupUniformLoad(&look_back_nearest);
    if (found < workgroupUniformLoad(&look_back_lacking)) {
      nearest = found;
      break;
    }
  }
  if (nearest == GROUPS_AT_ONCE) {
    return;
  }
  if (away > nearest) {
    own.element = identity();
  }
  exact_memory[thread] = own.element;
  if (takes_carry && away == nearest) {
    look_back_start = before.element;
  }
  workgroupBarrier();
  let members = (nearest + 1u) * FAN_OUT;
  for (var at = thread; at < EXACT_WORDS * SUM_PARTS; at += WORK_GROUP_SIZE) {
    let word = at % EXACT_WORDS;
    // The highest four bits of the last word say what was seen.
    let flags = select(0u, EXACT_SEEN, word == EXACT_WORDS - 1u);
    var low = 0u;
    var high = 0u;
    var seen = 0u;
    for (var other = at / EXACT_WORDS; other < members; other += SUM_PARTS) {
      let found = exact_memory[other][word];
      seen |= found & flags;
      low += found & 0xffffu;
      high += (found & ~flags) >> 16u;
    }
    look_back_lows[at] = low;
    look_back_highs[at] = high;
    if (seen != 0u) {
      atomicOr(&look_back_seen, seen);
    }
  }
  workgroupBarrier();
  for (var word = thread; word < EXACT_WORDS; word += WORK_GROUP_SIZE) {
    let start = look_back_start[word] & ~select(0u, EXACT_SEEN, word == EXACT_WORDS - 1u);
    var low = start & 0xffffu;
    var high = start >> 16u;
    for (var part = 0u; part < SUM_PARTS; part++) {
      low += look_back_lows[part * EXACT_WORDS + word];
      high += look_back_highs[part * EXACT_WORDS + word];
    }
    look_back_lows[word] = low;
    look_back_highs[word] = high;
  }
  workgroupBarrier();
  if (thread == 0u) {
    var above = 0u;
    for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
      let low = (above & 0xffffu) + look_back_lows[word];
      let high = (above >> 16u) + look_back_highs[word] + (low >> 16u);
      look_back_found[word] = (low & 0xffffu) | (high << 16u);
      above = high >> 16u;
    }
    let seen = atomicLoad(&look_back_seen) | (look_back_start[EXACT_WORDS - 1u] & EXACT_SEEN);
    look_back_found[EXACT_WORDS - 1u] = (look_back_found[EXACT_WORDS - 1u] & ~EXACT_SEEN) | seen;
    look_back_is_found = 1u;
  }
  if (tile % FAN_OUT == FAN_OUT - 1u) {
    workgroupBarrier();
    if (thread < FAN_OUT) {
      write_place(entry_of_carry(own_group + 1u), combine(look_back_found, total), thread, FAN_OUT);
    }
  }
}
