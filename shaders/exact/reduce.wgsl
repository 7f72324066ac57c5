// The exact sum of a tile: each thread adds up its items in fixed point, and then adds that to the tile's digits of 16 bits. Items
// that span too many binades go to the digits one by one. Sums have the same bits in any order, so a thread takes items at a stride.
// Linked with portable_threads.wgsl of device/tiles/, items.wgsl and what that lists, sum.wgsl, fixed.wgsl and what that lists, and a run_*.wgsl.
// Generated code declares ITEM_WORDS: the words of a float that starts anywhere in a digit. Its sign is in the next word.
// Work-group memory: EXACT_DIGITS + 1 words.

// A digit has room for the sum of 2^14 numbers of 16 bits, as many as a tile has items.
const EXACT_DIGITS = 2u * EXACT_WORDS + 6u;
var<workgroup> exact_digits: array<atomic<u32>, EXACT_DIGITS>;
var<workgroup> exact_seen: atomic<u32>;

fn vector_of(tile: u32, thread: u32, vector: u32) -> u32 {
  return (tile * VECTORS + vector) * WORK_GROUP_SIZE + thread;
}

fn add_digit(digit: u32, value: u32) {
  if (value != 0u) {
    atomicAdd(&exact_digits[digit], value);
  }
}

// Adds the words of a sum, whose lowest bit has this place.
fn add_fixed(sum: Fixed, place: u32) {
  var own = sum;
  let first = place >> 4u;
  let bit = place & 15u;
  var below = 0u;
  for (var word = 0u; word < FIXED_WORDS; word++) { // unroll
    let shifted = below | (own[word] << bit);
    add_digit(first + 2u * word, shifted & 0xffffu);
    add_digit(first + 2u * word + 1u, shifted >> 16u);
    below = (own[word] >> 1u) >> (31u - bit);
  }
  add_digit(first + 2u * FIXED_WORDS, bitcast<u32>((bitcast<i32>(own[FIXED_WORDS - 1u]) >> 1u) >> (31u - bit)));
}

// The tile's total. Thread 0 gets it.
fn reduce_tile(items: Items, thread: u32) -> Element {
  var own = items.bits;
  for (var digit = thread; digit < EXACT_DIGITS; digit += WORK_GROUP_SIZE) {
    atomicStore(&exact_digits[digit], 0u);
  }
  if (thread == 0u) {
    atomicStore(&exact_seen, 0u);
  }
  workgroupBarrier();
  if (has_items(items.tile, thread, items.length)) {
    var least = 0xffffffffu;
    var most = 0u;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let key = key_of_float(own[item]);
      least = min(least, key - 1u);
      most = max(most, key);
    }
    var is_minus = most == 0u;
    if (is_minus) {
      for (var item = 0u; item < ITEMS; item++) { // unroll
        is_minus = is_minus && is_minus_zero(own[item]);
      }
    }
    var seen = select(EXACT_SEEN_OTHERS, EXACT_SEEN_MINUS_ZERO, is_minus);
    let base = base_of_keys(least, most);
    if (most >> KEY_FRACTION == KEY_MOST) {
      seen |= seen_by_items(items, thread);
    } else if (base != NO_BASE) {
      add_fixed(add_run(Fixed(), own, base), base);
    } else {
      add_items(items, thread);
    }
    if ((atomicLoad(&exact_seen) & seen) != seen) {
      atomicOr(&exact_seen, seen);
    }
  }
  workgroupBarrier();
  var sum: Element;
  if (thread == 0u) {
    var carry = 0i;
    for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
      carry += bitcast<i32>(atomicLoad(&exact_digits[2u * word]));
      let low = bitcast<u32>(carry) & 0xffffu;
      carry = (carry >> 16u) + bitcast<i32>(atomicLoad(&exact_digits[2u * word + 1u]));
      sum[word] = low | (bitcast<u32>(carry) << 16u);
      carry >>= 16u;
    }
    sum[EXACT_WORDS - 1u] = (sum[EXACT_WORDS - 1u] & ~EXACT_SEEN) | atomicLoad(&exact_seen);
  }
  return sum;
}

// Adds a thread's items to the digits one by one. It reads them again, so that no thread holds them for it.
fn add_items(items: Items, thread: u32) {
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(items.tile, thread, vector);
    var own = read_edge(place, items.length);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let index = place * VECTOR + item;
      if (index < items.length) {
        let bits = float_from_element(element_from_item(own[item], index));
        let first = place_of_key(key_of_float(bits)) >> 4u;
        var sum = fixed_from_float(bits, 16u * first);
        for (var word = 0u; word < ITEM_WORDS; word++) { // unroll
          add_digit(first + 2u * word, sum[word] & 0xffffu);
          add_digit(first + 2u * word + 1u, sum[word] >> 16u);
        }
        add_digit(first + 2u * ITEM_WORDS, sum[ITEM_WORDS]);
      }
    }
  }
}

// What a thread's items say to be no numbers.
fn seen_by_items(items: Items, thread: u32) -> u32 {
  var seen = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(items.tile, thread, vector);
    var own = read_edge(place, items.length);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let index = place * VECTOR + item;
      if (index < items.length) {
        seen |= parts_from_float(float_from_element(element_from_item(own[item], index))).seen;
      }
    }
  }
  return seen;
}
