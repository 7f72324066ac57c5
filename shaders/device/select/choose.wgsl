// Chooses the first of a work-group's items by their keys, digit by digit, from the highest on. It passes over the highest bits if all
// keys share them, and stops as soon as all items are taken whose keys are equal so far.
// Linked with sort/digits.wgsl, select/keys.wgsl, and a const RADIX. Generated with it: key_bits. Call in uniform control flow.
// Work-group memory: two words for each value of a digit, a word for 16 of them, and a few words.

const COUNT_GROUP = 16u;
const COUNT_GROUPS = (RADIX + COUNT_GROUP - 1u) / COUNT_GROUP;
// The words that share what all threads write to at once.
const END_WORDS = 8u;

// Digits are counted in one half, while the other half is cleared.
var<workgroup> digit_counts: array<atomic<u32>, 2u * RADIX>;
var<workgroup> group_counts: array<u32, COUNT_GROUPS>;
var<workgroup> differing_ends: array<atomic<u32>, END_WORDS>;
var<workgroup> differing_end: u32;
// The digit of the last item, how many of those that count come before it, and how many have this digit: 0 if there is none.
var<workgroup> last_digit: vec3<u32>;

// The greatest of the threads' numbers, but at least `least`.
fn greatest_end(own_end: u32, least: u32, thread: u32) -> u32 {
  atomicMax(&differing_ends[thread % END_WORDS], own_end);
  workgroupBarrier();
  if (thread == 0u) {
    var most = least;
    for (var at = 0u; at < END_WORDS; at++) {
      most = max(most, atomicExchange(&differing_ends[at], 0u));
    }
    differing_end = most;
  }
  return workgroupUniformLoad(&differing_end);
}

// Finds the digit of the last of `wanted` items, once their digits are counted in a half.
fn found_digit(wanted: u32, half: u32, thread: u32) -> vec3<u32> {
  workgroupBarrier();
  if (thread < COUNT_GROUPS) {
    var sum = 0u;
    for (var at = 0u; at < COUNT_GROUP; at++) {
      let digit = thread * COUNT_GROUP + at;
      if (digit < RADIX) {
        sum += atomicLoad(&digit_counts[half + digit]);
      }
    }
    group_counts[thread] = sum;
  }
  if (thread < RADIX) {
    atomicStore(&digit_counts[RADIX - half + thread], 0u);
  }
  if (thread == 0u) {
    last_digit = vec3<u32>();
  }
  workgroupBarrier();
  if (thread < RADIX) {
    let group = thread / COUNT_GROUP;
    var before = 0u;
    for (var at = 0u; at < COUNT_GROUPS; at++) {
      before += select(0u, group_counts[at], at < group);
    }
    for (var digit = group * COUNT_GROUP; digit < thread; digit++) {
      before += atomicLoad(&digit_counts[half + digit]);
    }
    let count = atomicLoad(&digit_counts[half + thread]);
    if (before < wanted && wanted - before <= count) {
      last_digit = vec3<u32>(thread, before, count);
    }
  }
  return workgroupUniformLoad(&last_digit);
}

// The next choice begins with no counts.
fn clear_digits(thread: u32) {
  if (thread < RADIX) {
    atomicStore(&digit_counts[thread], 0u);
    atomicStore(&digit_counts[RADIX + thread], 0u);
  }
}

// An item comes behind it if its key does, or if its key is this one and its number is greater.
struct Limit {
  key: Key,
  number: u32,
}

// Finds a limit such that at least `wanted` items of the work-group are at or before it. Each thread that has items gives its first
// one. If fewer than `wanted` threads do, the limit is after all items. `near` is any key. The more of its highest bits all keys
// share, the fewer digits are counted. Numbers differ.
fn limit_of_threads(key: Key, number: u32, has_item: bool, near: Key, wanted: u32, thread: u32) -> Limit {
  var end = greatest_end(select(0u, bits_used(key ^ near), has_item), FIRST_BIT, thread);
  var limit = Limit(near & bits_above(end), ~0u);
  var is_equal = has_item;
  var remaining = wanted;
  var half = 0u;
  var is_found = true;
  var all_are_taken = false;
  // Digits of keys, and then those of numbers.
  for (var by_number = false; !all_are_taken; ) {
    if (end <= select(FIRST_BIT, 0u, by_number)) {
      if (by_number) {
        break;
      }
      by_number = true;
      limit.number = 0u;
      end = greatest_end(select(0u, 32u - countLeadingZeros(number), is_equal), 1u, thread);
    }
    let bits = min(DIGIT_BITS, end - select(FIRST_BIT, 0u, by_number));
    end -= bits;
    let digit = select(bits_from(key, end), number >> end, by_number) & ((1u << bits) - 1u);
    if (is_equal) {
      atomicAdd(&digit_counts[half + digit], 1u);
    }
    let last = found_digit(remaining, half, thread);
    half = RADIX - half;
    is_equal = is_equal && digit == last.x;
    is_found = last.z > 0u;
    remaining -= last.y;
    all_are_taken = !is_found || remaining == last.z;
    if (by_number) {
      limit.number |= (last.x << end) | select(0u, (1u << end) - 1u, all_are_taken);
    } else {
      limit.key |= digit_at(last.x, end);
      limit.key |= select(Key(), ~bits_above(end), all_are_taken);
    }
  }
  clear_digits(thread);
  if (!is_found) {
    return Limit(key_bits(), ~0u);
  }
  return Limit(limit.key & key_bits(), limit.number);
}

struct Choice {
  // Bit n says whether item n of the thread is taken.
  taken: u32,
  // No key that is taken comes behind it.
  limit: Key,
}

// Takes as many items as are wanted: of equal keys, those with the lowest numbers, which differ. Bit n of `left` says whether item n of
// the thread counts. At least `wanted` items of the work-group do. `near` is as in limit_of_threads.
fn choose(
  given_keys: array<Key, ITEMS>,
  given_numbers: array<u32, ITEMS>,
  left: u32,
  near: Key,
  wanted: u32,
  thread: u32,
) -> Choice {
  var keys = given_keys;
  var numbers = given_numbers;
  var differing = Key();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (((left >> item) & 1u) != 0u) {
      differing |= keys[item] ^ near;
    }
  }
  var end = greatest_end(bits_used(differing), FIRST_BIT, thread);
  var limit = near & bits_above(end);
  var taken = 0u;
  var equal = left;
  var remaining = wanted;
  var half = 0u;
  var all_are_taken = false;
  // Digits of keys, and then those of numbers.
  for (var by_number = false; !all_are_taken; ) {
    if (end <= select(FIRST_BIT, 0u, by_number)) {
      if (by_number) {
        break;
      }
      by_number = true;
      var used = 0u;
      for (var item = 0u; item < ITEMS; item++) { // unroll
        used |= select(0u, numbers[item], ((equal >> item) & 1u) != 0u);
      }
      end = greatest_end(32u - countLeadingZeros(used), 1u, thread);
    }
    let bits = min(DIGIT_BITS, end - select(FIRST_BIT, 0u, by_number));
    end -= bits;
    var digits: array<u32, ITEMS>;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      digits[item] = select(bits_from(keys[item], end), numbers[item] >> end, by_number) & ((1u << bits) - 1u);
      if (((equal >> item) & 1u) != 0u) {
        atomicAdd(&digit_counts[half + digits[item]], 1u);
      }
    }
    let last = found_digit(remaining, half, thread);
    half = RADIX - half;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      taken |= select(0u, equal & (1u << item), digits[item] < last.x);
      equal &= select(~(1u << item), ~0u, digits[item] == last.x);
    }
    remaining -= last.y;
    if (!by_number) {
      limit |= digit_at(last.x, end);
      limit |= select(Key(), ~bits_above(end), remaining == last.z);
    }
    all_are_taken = remaining == last.z;
  }
  clear_digits(thread);
  return Choice(select(0u, taken | equal, wanted > 0u), limit & key_bits());
}
