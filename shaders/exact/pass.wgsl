// A whole scan of exact sums in one dispatch: see scan_single_pass.wgsl. A work-group adds up its tile in
// fixed point, if its items span few binades, or by digits. It hands on the sum, and looks back. Then it scans the tile on top of
// its carry, as scan.wgsl does. All ways give the same bits, so each tile chooses for itself.
// Linked with prefixes.wgsl and what that lists, look_back.wgsl, tile_*.wgsl and total_*.wgsl. The output must not
// overlap the input.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// Work-group memory: that of prefixes.wgsl, of the digits and of the look-back, two elements and a word.
// replaces: scan_single_pass, total_of_tile

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_single_pass(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let tile = tile_of(work_group, thread);
  let length = data_length();
  if (tile > last_tile(length)) {
    return;
  }
  let items = take_items(tile, thread, length);
  let base = find_base(items, thread);
  var before: Fixed;
  if (base != NO_BASE) {
    before = begin_fixed(items, thread, base);
  } else {
    let total = total_of_tile(tile, thread, length);
    if (thread == 0u) {
      exact_total = total;
    }
    workgroupBarrier();
  }
  hand_on(tile, exact_total, thread);
  look_back(tile, exact_total, thread, length);
  if (thread == 0u) {
    exact_carry = carry();
  }

  if (base == NO_BASE || !end_fixed(items, thread, tile, length, before, base)) {
    workgroupBarrier();
    let scan = scan_sums(sum_of_run(items, thread), thread);
    let sum = combine(exact_carry, scan.before);
    if (has_items(tile, thread, length) && !store_near(items, thread, tile, length, sum)) {
      store_whole(tile, thread, length, sum);
    }
  }
  if (tile == last_tile(length) && thread == 0u) {
    store_total(combine(exact_carry, exact_total));
  }
}

// The tile's total, and what comes before the tile.
var<workgroup> exact_total: Element;
var<workgroup> exact_carry: Element;

fn load_carry(tile: u32) -> Element {
  return exact_carry;
}

// What the items of a tile of zeros are.
var<workgroup> exact_zeros: atomic<u32>;

// Computes the tile's total in fixed point, and what comes before a thread's run in the tile.
fn begin_fixed(items: Items, thread: u32, base: u32) -> Fixed {
  var own = items.bits;
  // Of zeros, the sum must say whether all are -0.
  var seen = EXACT_SEEN_OTHERS;
  if (workgroupUniformLoad(&exact_highest) == 0u) {
    var zeros = 0u;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let is_there = vector_of(items.tile, thread, 0u) * VECTOR + item < items.length;
      zeros |= select(0u, select(EXACT_SEEN_OTHERS, EXACT_SEEN_MINUS_ZERO, is_minus_zero(own[item])), is_there);
    }
    atomicOr(&exact_zeros, zeros);
    seen = workgroupUniformLoad(&exact_zeros);
  }
  var sum = fixed_of_run(items, base);
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
  var before: Fixed;
  if (thread > 0u) {
    before = take_fixed(thread - 1u);
  }
  workgroupBarrier();
  if (thread == WORK_GROUP_SIZE - 1u) {
    // Nothing is in exact_carry yet.
    exact_total = whole_from_fixed(sum, thread, items.tile, base);
    exact_total[EXACT_WORDS - 1u] = (exact_total[EXACT_WORDS - 1u] & ~EXACT_SEEN) | seen;
  }
  workgroupBarrier();
  return before;
}

// Stores the prefixes of a tile in fixed point. Returns false if the carry has no room there. The result is uniform.
fn end_fixed(items: Items, thread: u32, tile: u32, length: u32, before: Fixed, base: u32) -> bool {
  var own = items.bits;
  if (thread == 0u) {
    put_fixed(0u, fixed_from_whole(exact_carry, base, is_minus_zero(own[0])));
  }
  let rest = workgroupUniformLoad(&fixed_rest);
  if (workgroupUniformLoad(&fixed_fits) == 0u) {
    return false;
  }
  let start = fixed_add(take_fixed(0u), before);
  // From here on, each thread has its place in memory for itself.
  workgroupBarrier();
  if (has_items(tile, thread, length)) {
    store_fixed(items, thread, tile, length, start, rest, base);
  }
  return true;
}

// The total of any tile, by digits of 16 bits: see reduce.wgsl. Thread 0 gets it.
const EXACT_DIGITS = 2u * EXACT_WORDS + 6u;
var<workgroup> exact_digits: array<atomic<u32>, EXACT_DIGITS>;
var<workgroup> exact_seen: atomic<u32>;

fn add_digit(digit: u32, value: u32) {
  if (value != 0u) {
    atomicAdd(&exact_digits[digit], value);
  }
}

fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  for (var digit = thread; digit < EXACT_DIGITS; digit += WORK_GROUP_SIZE) {
    atomicStore(&exact_digits[digit], 0u);
  }
  if (thread == 0u) {
    atomicStore(&exact_seen, 0u);
  }
  workgroupBarrier();
  var seen = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(tile, thread, vector);
    var own = read_edge(place, length);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let index = place * VECTOR + item;
      if (index < length) {
        seen |= add_item(float_from_element(element_from_item(own[item], index)));
      }
    }
  }
  atomicOr(&exact_seen, seen);
  workgroupBarrier();
  var sum: Element;
  if (thread == 0u) {
    var carry = 0i;
    for (var word = 0u; word < EXACT_WORDS; word++) {
      carry += bitcast<i32>(atomicLoad(&exact_digits[2u * word]));
      let low = bitcast<u32>(carry) & 0xffffu;
      carry = (carry >> 16u) + bitcast<i32>(atomicLoad(&exact_digits[2u * word + 1u]));
      sum[word] = low | (bitcast<u32>(carry) << 16u);
      carry >>= 16u;
    }
    sum[EXACT_WORDS - 1u] = (sum[EXACT_WORDS - 1u] & ~EXACT_SEEN) | atomicLoad(&exact_seen);
  }
  workgroupBarrier();
  return sum;
}

// Adds an item to the digits, and returns what it is.
fn add_item(bits: FloatBits) -> u32 {
  let key = key_of_float(bits);
  if (key >> KEY_FRACTION == KEY_MOST) {
    return parts_from_float(bits).seen;
  }
  let first = place_of_key(key) >> 4u;
  var sum = fixed_from_float(bits, 16u * first);
  for (var word = 0u; word < ITEM_WORDS; word++) { // unroll
    add_digit(first + 2u * word, sum[word] & 0xffffu);
    add_digit(first + 2u * word + 1u, sum[word] >> 16u);
  }
  add_digit(first + 2u * ITEM_WORDS, sum[ITEM_WORDS]);
  return select(EXACT_SEEN_OTHERS, EXACT_SEEN_MINUS_ZERO, is_minus_zero(bits));
}
