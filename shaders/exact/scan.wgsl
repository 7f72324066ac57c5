// One work-group scans one tile of exact sums, on top of its carry. Where the tile's items span few binades, and what the carry has
// above them has room, the tile is scanned in fixed point. Other tiles are scanned in whole sums. Both ways give the same bits, so
// each tile chooses for itself.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// Linked in place of scan_tiles.wgsl, with items.wgsl and what that lists, fixed.wgsl and what that lists, a run_*.wgsl, whole_sums.wgsl or whole_sums_long.wgsl, store.wgsl;
// with carry_*.wgsl and total_*.wgsl of device/io/. The file of whole sums says where a thread's sum lies.
// Work-group memory: a sum in fixed point for each thread, an element, and four words, beside that of whole_sums.wgsl.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let length = data_length();
  if (tile > last_tile(length)) {
    return;
  }

  let items = load_items(tile, thread, length);
  let stores_total = tile == last_tile(length) && thread == 0u;
  if (scan_fixed(items, thread, tile, length, stores_total)) {
    return;
  }
  let scan = scan_whole_sums(sum_of_run(items, thread), thread);
  let carry = load_carry(tile);
  let before = combine(carry, scan.before);
  if (has_items(tile, thread, length) && !store_in_two_words(items, thread, tile, length, before)) {
    store_whole(tile, thread, length, before);
  }

  // The last tile that holds an item stores the total of all tiles. If there is no item, the first tile does.
  if (stores_total) {
    store_total(combine(carry, scan.total));
  }
}

// The threads' sums in fixed point, an odd number of words each.
var<workgroup> fixed_memory: array<array<u32, FIXED_WORDS | 1u>, WORK_GROUP_SIZE>;

// What comes before the tile.
var<workgroup> exact_carry: Element;

// In what comes before the tile, the bits below the base, and those that fixed point has no room for.
var<workgroup> fixed_rest: atomic<u32>;
var<workgroup> fixed_beyond: atomic<u32>;

// Scans the tile in fixed point, and stores its prefixes. Otherwise it returns false. The result is uniform.
fn scan_fixed(items: Items, thread: u32, tile: u32, length: u32, stores_total: bool) -> bool {
  if (thread == 0u) {
    atomicStore(&fixed_rest, 0u);
    atomicStore(&fixed_beyond, 0u);
  }
  put_carry(tile, thread);
  // The carry is in memory when this returns.
  let base = find_base(items, thread);
  if (base == NO_BASE) {
    return false;
  }
  var own = items.bits;
  // The carry joins in with the first item.
  var start = fixed_from_carry(thread, base, is_minus_zero(own[0]));
  scan_threads(add_run(start, own, base), thread);
  let rest = workgroupUniformLoad(&fixed_rest);
  if (workgroupUniformLoad(&fixed_beyond) != 0u) {
    return false;
  }
  if (thread > 0u) {
    start = take_fixed(thread - 1u);
  }
  let total = take_fixed(WORK_GROUP_SIZE - 1u);
  if (has_items(tile, thread, length)) {
    store_fixed(items, thread, tile, length, start, rest, base);
  }
  if (stores_total) {
    store_total(whole_from_fixed(total, thread, tile, base));
  }
  return true;
}

// Leaves in memory each thread's sum on top of those of the threads before it. Call in uniform control flow.
fn scan_threads(own: Fixed, thread: u32) {
  var sum = own;
  for (var distance = 1u; distance < WORK_GROUP_SIZE; distance <<= 1u) {
    put_fixed(thread, sum);
    workgroupBarrier();
    if (thread >= distance) {
      sum = fixed_add(take_fixed(thread - distance), sum);
    }
    workgroupBarrier();
  }
  put_fixed(thread, sum);
  workgroupBarrier();
}

// The whole sum of a thread's items. It adds each item to the words of the thread's sum that it is in. These words start
// from the middle of their range, so that hardly any carry goes on to the words above.
fn sum_of_run(items: Items, thread: u32) -> Element {
  const MIDDLE = 0x80000000u;
  var own = items.bits;
  for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
    put_sum_word(word, MIDDLE, thread);
  }
  var seen = 0u;
  if (has_items(items.tile, thread, items.length)) {
    var is_minus = true;
    var most = 0u;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      add_to_place(own[item], thread);
      is_minus = is_minus && is_minus_zero(own[item]);
      most = max(most, key_of_float(own[item]));
    }
    seen = select(EXACT_SEEN_OTHERS, EXACT_SEEN_MINUS_ZERO, is_minus);
    if (most >> KEY_FRACTION == KEY_MOST) {
      for (var item = 0u; item < ITEMS; item++) { // unroll
        seen |= parts_from_float(own[item]).seen;
      }
    }
  }
  var sum: Element;
  var borrow = 0u;
  for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
    let own_word = sum_word(word, thread);
    sum[word] = own_word - MIDDLE - borrow;
    borrow = select(0u, 1u, own_word < MIDDLE || (own_word == MIDDLE && borrow == 1u));
  }
  sum[EXACT_WORDS - 1u] = (sum[EXACT_WORDS - 1u] & ~EXACT_SEEN) | seen;
  return sum;
}

fn add_to_place(bits: FloatBits, thread: u32) {
  let first = min(place_of_key(key_of_float(bits)), MOST_FINITE) >> 5u;
  var item = fixed_from_float(bits, 32u * first);
  var carry = 0u;
  for (var word = 0u; word < ITEM_WORDS; word++) { // unroll
    let partial = sum_word(first + word, thread) + item[word];
    let whole = partial + carry;
    carry = select(0u, 1u, partial < item[word]) + select(0u, 1u, whole < carry);
    put_sum_word(first + word, whole, thread);
  }
  let last = item[ITEM_WORDS];
  let partial = sum_word(first + ITEM_WORDS, thread) + last;
  let whole = partial + carry;
  carry = select(0u, 1u, partial < last) + select(0u, 1u, whole < carry);
  put_sum_word(first + ITEM_WORDS, whole, thread);
  // What is left for the words above: 1, 0 or -1.
  var left = carry + sign_of(last);
  for (var word = first + ITEM_WORDS + 1u; left != 0u && word < EXACT_WORDS; word++) {
    let own = sum_word(word, thread);
    put_sum_word(word, own + left, thread);
    left = select(select(0u, 1u, own == 0xffffffffu), select(0u, 0xffffffffu, own == 0u), left != 1u);
  }
}

// The highest place of a float that is a number.
const MOST_FINITE = KEY_MOST - 2u;

// Rounds the prefixes of a thread's items, and stores them.
fn store_fixed(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32) {
  if (store_in_digits(items, thread, tile, length, start, rest, base, atomicLoad(&exact_highest))) {
    return;
  }
  // Items are loaded again, so that no thread holds them while it tries the way above.
  var own = load_items(tile, thread, length).bits;
  var outputs: array<Output, ITEMS>;
  var sum = start;
  var lowest = 0xffffffffu;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let earlier = sum;
    sum = fixed_add(sum, fixed_from_float(own[item], base));
    let prefix = float_from_fixed(select_fixed(earlier, sum), rest, base);
    lowest = min(lowest, prefix.place);
    outputs[item] = output_from_float(prefix.bits);
  }
  // If there are bits below the base, those that a prefix is rounded by must be above it.
  if (rest != 0u && lowest <= EXACT_FRACTION + 1u) {
    store_whole(tile, thread, length, whole_from_fixed(start, thread, tile, base));
    return;
  }
  store_outputs(outputs, thread, tile, length);
}

// The tile's least key less 1, as a complement, and its greatest key.
var<workgroup> exact_lowest: atomic<u32>;
var<workgroup> exact_highest: atomic<u32>;

// The place that the tile's fixed point starts at, or NO_BASE. The result is uniform.
fn find_base(items: Items, thread: u32) -> u32 {
  var own = items.bits;
  var least = 0xffffffffu;
  var most = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let key = key_of_float(own[item]);
    least = min(least, key - 1u);
    most = max(most, key);
  }
  if (thread == 0u) {
    atomicStore(&exact_lowest, 0u);
    atomicStore(&exact_highest, 0u);
  }
  workgroupBarrier();
  // Most threads see that another one was there before.
  if (FIXED_SPAN <= KEY_MOST && atomicLoad(&exact_lowest) < ~least) {
    atomicMax(&exact_lowest, ~least);
  }
  if (atomicLoad(&exact_highest) < most) {
    atomicMax(&exact_highest, most);
  }
  let lowest = ~workgroupUniformLoad(&exact_lowest);
  let highest = workgroupUniformLoad(&exact_highest);
  return select(base_of_keys(lowest, highest), NO_BASE, highest >> KEY_FRACTION == KEY_MOST);
}

fn put_fixed(thread: u32, sum: Fixed) {
  var own = sum;
  for (var word = 0u; word < FIXED_WORDS; word++) { // unroll
    fixed_memory[thread][word] = own[word];
  }
}

fn take_fixed(thread: u32) -> Fixed {
  var sum: Fixed;
  for (var word = 0u; word < FIXED_WORDS; word++) { // unroll
    sum[word] = fixed_memory[thread][word];
  }
  return sum;
}

// A word of the carry, with the sign in place of what the sum has seen.
fn word_of_carry(word: u32, sign: u32) -> u32 {
  let own = exact_carry[min(word, EXACT_WORDS - 1u)];
  let signed = select(own, bitcast<u32>(bitcast<i32>(own << 4u) >> 4u), word == EXACT_WORDS - 1u);
  return select(signed, sign, word >= EXACT_WORDS);
}

// The carry in fixed point, for the first thread, and nothing for the others. The threads share its words: each looks at some for bits
// that fixed point does not have.
fn fixed_from_carry(thread: u32, base: u32, first_is_minus_zero: bool) -> Fixed {
  let last = exact_carry[EXACT_WORDS - 1u];
  let sign = sign_of(last << 4u);
  let first = base >> 5u;
  let bit = base & 31u;
  var rest = 0u;
  var beyond = 0u;
  for (var word = thread; word < EXACT_WORDS; word += WORK_GROUP_SIZE) {
    let own = word_of_carry(word, sign);
    rest |= select(0u, own, word < first);
    beyond |= select(0u, own ^ sign, word > first + FIXED_WORDS);
  }
  var sum: Fixed;
  if (thread == 0u) {
    var low = word_of_carry(first, sign);
    rest |= low & ((1u << bit) - 1u);
    for (var word = 0u; word < FIXED_WORDS; word++) { // unroll
      let high = word_of_carry(first + word + 1u, sign);
      sum[word] = (low >> bit) | ((high << 1u) << (31u - bit));
      low = high;
    }
    beyond |= bitcast<u32>(bitcast<i32>(low) >> bit) ^ sign;
    // Room for a tile: two bits are like the sign.
    beyond |= bitcast<u32>(bitcast<i32>(sum[FIXED_WORDS - 1u]) >> 29u) ^ sign;
    // A prefix of 0 is -0 if there was nothing but -0 before it. Whole sums say so. Otherwise one item that is not -0 was there.
    let seen = last & EXACT_SEEN;
    let is_plain = seen == EXACT_SEEN_OTHERS || seen == (EXACT_SEEN_OTHERS | EXACT_SEEN_MINUS_ZERO) || (seen == 0u && !first_is_minus_zero);
    beyond |= select(1u, 0u, is_plain);
  }
  if (rest != 0u) {
    atomicOr(&fixed_rest, rest);
  }
  if (beyond != 0u) {
    atomicOr(&fixed_beyond, beyond);
  }
  return sum;
}

// The whole sum of what fixed point says, and of what the carry has below the base.
fn whole_from_fixed(sum: Fixed, thread: u32, tile: u32, base: u32) -> Element {
  put_whole_sum(load_carry(tile), thread);
  var own = sum;
  let seen = (sum_word(EXACT_WORDS - 1u, thread) & EXACT_SEEN) | EXACT_SEEN_OTHERS;
  let first = base >> 5u;
  let bit = base & 31u;
  let sign = sign_of(own[FIXED_WORDS - 1u]);
  var below = sum_word(first, thread) & ((1u << bit) - 1u);
  for (var word = 0u; word < FIXED_WORDS; word++) { // unroll
    if (first + word < EXACT_WORDS) {
      put_sum_word(first + word, below | (own[word] << bit), thread);
    }
    below = (own[word] >> 1u) >> (31u - bit);
  }
  below |= sign << bit;
  for (var word = first + FIXED_WORDS; word < EXACT_WORDS; word++) {
    put_sum_word(word, below, thread);
    below = sign;
  }
  put_sum_word(EXACT_WORDS - 1u, (sum_word(EXACT_WORDS - 1u, thread) & ~EXACT_SEEN) | seen, thread);
  return whole_sum_of(thread);
}

// The first thread reads what comes before the tile, and leaves it in memory. carry_words.wgsl replaces it.
fn put_carry(tile: u32, thread: u32) {
  if (thread == 0u) {
    exact_carry = load_carry(tile);
  }
}
