// The items of a work-group that may be among the first ones: few enough for a list in work-group memory.
// Linked with contract.wgsl, select/choose.wgsl and what it is linked with, and a const MOST_WANTED. Call in uniform control flow.
// Work-group memory: that of select/choose.wgsl, a key and two words for each of MOST_WANTED items, and two words.

// How many threads compare an item with the others of the list.
const COMPARERS = 8u;

// In any order.
var<workgroup> few_keys: array<Key, MOST_WANTED>;
var<workgroup> few_numbers: array<u32, MOST_WANTED>;
// How many items of the list come before each one.
var<workgroup> few_places: array<atomic<u32>, MOST_WANTED>;
var<workgroup> few_added: atomic<u32>;
var<workgroup> few_count: u32;

struct Few {
  count: u32,
  // No key of an item that is wanted comes behind it.
  limit: Key,
}

// Lists items of which at least `wanted` are the first ones: `most` at most, which is `wanted` or more. Bit n of `given_left` says
// whether item n of a thread counts. At least `wanted` items of the work-group do that are not behind the limit. `near` is as in
// limit_of_threads. If `are_many`, more than `most` are known not to be behind the limit.
fn list_few(
  given_keys: array<Key, ITEMS>,
  given_numbers: array<u32, ITEMS>,
  given_left: u32,
  given_limit: Key,
  near: Key,
  wanted: u32,
  most: u32,
  are_many: bool,
  thread: u32,
) -> Few {
  var keys = given_keys;
  var numbers = given_numbers;
  var left = given_left;
  var limit = Limit(given_limit, ~0u);
  var count = 0u;
  for (var turn = select(0u, 1u, are_many); turn < 3u; turn++) {
    if (turn == 1u) {
      var first = Limit(key_bits(), ~0u);
      for (var item = 0u; item < ITEMS; item++) { // unroll
        if (((left >> item) & 1u) != 0u && !is_behind(first, keys[item], numbers[item])) {
          first = Limit(keys[item], numbers[item]);
        }
      }
      limit = limit_of_threads(first.key, first.number, left != 0u, near, wanted, thread);
    }
    if (turn == 2u) {
      let choice = choose(keys, numbers, left, near, wanted, thread);
      left = choice.taken;
      limit = Limit(choice.limit, ~0u);
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      left &= select(~0u, ~(1u << item), is_behind(limit, keys[item], numbers[item]));
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
  return Few(count, limit.key);
}

fn is_behind(limit: Limit, key: Key, number: u32) -> bool {
  return comes_before(limit.key, key) || (all(limit.key == key) && limit.number < number);
}

// Counts how many of the list's items come before each of them: few_places. Of equal keys, those with the lowest numbers come first.
// Call it once.
fn place_few(count: u32, thread: u32) {
  for (var task = thread; task < count * COMPARERS; task += WORK_GROUP_SIZE) {
    let at = task / COMPARERS;
    let one = Limit(few_keys[at], few_numbers[at]);
    var before = 0u;
    for (var other = task % COMPARERS; other < count; other += COMPARERS) {
      before += select(0u, 1u, is_behind(Limit(few_keys[other], few_numbers[other]), one.key, one.number));
    }
    atomicAdd(&few_places[at], before);
  }
  workgroupBarrier();
}
