// Scans the threads' sums of f32 in digits, without carries. It has the functions of scan_runs.wgsl.
// Linked with scan.wgsl and fixed_run_digits.wgsl. Call in uniform control flow. Work-group memory: six words for each thread, and a sum in
// fixed point.

// The lower digits of all threads' sums have room, and so has the upper one, of which an item has 19 bits.
const_assert WORK_GROUP_SIZE <= 256u;
const_assert TILE <= 4096u;

// Two places for each thread, which take turns. A place has an odd number of words.
var<workgroup> digits_memory: array<array<i32, 3>, 2u * WORK_GROUP_SIZE>;
var<workgroup> digits_carry: Fixed;

fn scan_runs(items: Items, thread: u32, base: u32, carry: Fixed) -> Fixed {
  if (thread == 0u) {
    digits_carry = carry;
  }
  var sum = digits_of_run(items.bits, base);
  var first = 0u;
  for (var distance = 1u; distance < WORK_GROUP_SIZE; distance <<= 1u) {
    put_digits(first + thread, sum);
    workgroupBarrier();
    if (thread >= distance) {
      sum += take_digits(first + thread - distance);
    }
    first = WORK_GROUP_SIZE - first;
  }
  put_digits(first + thread, sum);
  workgroupBarrier();
  var before: vec3<i32>;
  if (thread > 0u) {
    before = take_digits(first + thread - 1u);
  }
  return fixed_add(digits_carry, fixed_from_digits(before));
}

// What comes behind the tile.
fn total_of_runs() -> Fixed {
  // The place that the last turn has left.
  const TURNS = 32u - countLeadingZeros(WORK_GROUP_SIZE - 1u);
  return fixed_add(digits_carry, fixed_from_digits(take_digits((TURNS & 1u) * WORK_GROUP_SIZE + WORK_GROUP_SIZE - 1u)));
}

fn put_digits(place: u32, sum: vec3<i32>) {
  digits_memory[place][0] = sum.x;
  digits_memory[place][1] = sum.y;
  digits_memory[place][2] = sum.z;
}

fn take_digits(place: u32) -> vec3<i32> {
  return vec3<i32>(digits_memory[place][0], digits_memory[place][1], digits_memory[place][2]);
}
