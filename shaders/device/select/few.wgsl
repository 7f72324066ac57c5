// The items of a work-group that may be among the first ones: few enough for a list in work-group memory.
// Linked with contract.wgsl, select/choose.wgsl and what it is linked with, and a const MOST_WANTED. Call in uniform control flow.
// Work-group memory: that of select/choose.wgsl, a key and a word for each of MOST_WANTED items, and two words.

// In any order.
var<workgroup> few_keys: array<Key, MOST_WANTED>;
var<workgroup> few_numbers: array<u32, MOST_WANTED>;
var<workgroup> few_added: atomic<u32>;
var<workgroup> few_count: u32;

struct Few {
  count: u32,
  // No key of an item that is wanted comes behind it.
  limit: Key,
}

// Lists items of which at least `wanted` are the first ones: `most` at most, which is `wanted` or more. Bit n of `given_left` says
// whether item n of a thread counts. At least `wanted` items of the work-group do that are not behind the limit. `near` is as in
// limit_of_threads.
fn list_few(
  given_keys: array<Key, ITEMS>,
  given_numbers: array<u32, ITEMS>,
  given_left: u32,
  given_limit: Key,
  near: Key,
  wanted: u32,
  most: u32,
  thread: u32,
) -> Few {
  var keys = given_keys;
  var numbers = given_numbers;
  var left = given_left;
  var limit = given_limit;
  var count = 0u;
  for (var turn = 0u; turn < 3u; turn++) {
    if (turn == 1u) {
      var first = key_bits();
      for (var item = 0u; item < ITEMS; item++) { // unroll
        if (((left >> item) & 1u) != 0u && comes_before(keys[item], first)) {
          first = keys[item];
        }
      }
      limit = limit_of_threads(first, left != 0u, near, wanted, thread);
    }
    if (turn == 2u) {
      let choice = choose(keys, numbers, left, near, wanted, thread);
      left = choice.taken;
      limit = choice.limit;
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      left &= select(~0u, ~(1u << item), comes_before(limit, keys[item]));
    }
    if (left != 0u) {
      var place = atomicAdd(&few_added, countOneBits(left));
      for (var item = 0u; item < ITEMS; item++) { // unroll
        if (((left >> item) & 1u) != 0u) {
          if (place < MOST_WANTED) {
            few_keys[place] = keys[item];
            few_numbers[place] = numbers[item];
          }
          place++;
        }
      }
    }
    workgroupBarrier();
    if (thread == 0u) {
      few_count = atomicExchange(&few_added, 0u);
    }
    count = workgroupUniformLoad(&few_count);
    if (count <= most) {
      break;
    }
  }
  return Few(count, limit);
}

// How many of the list's items come before one of them. Of equal keys, those with the lowest numbers come first.
fn place_among_few(at: u32, count: u32) -> u32 {
  let key = few_keys[at];
  let number = few_numbers[at];
  var place = 0u;
  for (var other = 0u; other < count; other++) {
    let other_key = few_keys[other];
    let is_before = comes_before(other_key, key) || (all(other_key == key) && few_numbers[other] < number);
    place += select(0u, 1u, is_before);
  }
  return place;
}
