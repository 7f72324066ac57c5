// Takes the blocks with the first keys, as many as elements are wanted: of equal keys, the blocks that come first. One work-group
// holds the keys of all blocks. Digit by digit, from the highest on, it finds the last key that is taken.
// Linked with contract.wgsl (Element is u32, the operator is add), an algorithm of shaders/work_group/, length_*.wgsl,
// select/keys.wgsl, select/blocks.wgsl and sort/digits.wgsl.
// Dispatch one work-group. Work-group memory: that of the algorithm, a word for each value of a digit, and two words.

@group(0) @binding(3) var<storage, read> first_keys: array<Key>;
@group(0) @binding(5) var<storage, read_write> taken_count: array<u32>;
@group(0) @binding(18) var<storage, read_write> taken: array<u32>;

var<workgroup> counts: array<atomic<u32>, RADIX>;
// The digit of the last key, and how many keys that are left come before it.
var<workgroup> last_digit: vec2<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn take_blocks(@builtin(local_invocation_index) thread: u32) {
  let shift = call.block_shift;
  let length = data_length();
  let blocks = blocks_of(shift, length);
  var keys: array<Key, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let block = thread * ITEMS + item;
    if (block < blocks) {
      keys[item] = first_keys[block];
    }
  }
  // At the end no blocks are wanted that are behind the data.
  let wanted = min(call.k, select(blocks, min(blocks, length), shift == 0u));
  var remaining = wanted;
  var known = Key();
  var mask = Key();
  for (var digit = DIGITS; digit > 0u; digit--) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      if (thread * ITEMS + item < blocks && all((keys[item] & mask) == known)) {
        atomicAdd(&counts[digit_of(keys[item], digit - 1u)], 1u);
      }
    }
    workgroupBarrier();
    var count = 0u;
    if (thread < RADIX) {
      count = atomicExchange(&counts[thread], 0u);
    }
    let before = work_group_scan_exclusive(count, thread).prefix;
    if (before < remaining && remaining - before <= count) {
      last_digit = vec2<u32>(thread, before);
    }
    workgroupBarrier();
    let last = last_digit;
    remaining -= last.y;
    let bit = FIRST_BIT + (digit - 1u) * DIGIT_BITS;
    known |= digit_at(last.x, bit);
    mask |= digit_at(select(RADIX - 1u, LAST_DIGIT, digit == DIGITS), bit);
  }
  // In the lower half the keys that come before the last one, in the upper half those that are equal to it.
  var sum = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (thread * ITEMS + item < blocks) {
      sum += select(u32(comes_before(keys[item], known)), 0x10000u, all(keys[item] == known));
    }
  }
  var before = work_group_scan_exclusive(sum, thread).prefix;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let block = thread * ITEMS + item;
    if (block < blocks) {
      let is_last = all(keys[item] == known);
      let place = (before & 0xffffu) + min(before >> 16u, remaining);
      if (select(comes_before(keys[item], known), (before >> 16u) < remaining, is_last)) {
        taken[place] = number_of(block, shift);
      }
      before += select(u32(comes_before(keys[item], known)), 0x10000u, is_last);
    }
  }
  if (shift == 0u && thread == 0u) {
    taken_count[call.count_base] = wanted;
  }
}
