// Tagged words: what the look-back does. A thread hands on a value as two words, which it stores in either order. Each has 16
// bits of the value, and the number of the iteration. Another thread takes the value only if both words have that number. Then it
// must be the value that was handed on.
// Results: whether a value was taken, and whether it was another one than was handed on.
// Linked with run_litmus.wgsl. Call in any control flow. No work-group memory.

const ATTEMPTS = 8u;

// The value that an instance hands on in this iteration.
fn handed_on(instance: u32) -> u32 {
  return (instance * 40503u + iteration.number) * 2654435761u;
}

fn has_tag(word: u32) -> bool {
  return word >> 16u == iteration.number;
}

fn test_instance(instance: u32, thread: u32) {
  let value = handed_on(instance);
  let low = (iteration.number << 16u) | (value & 0xffffu);
  let high = (iteration.number << 16u) | (value >> 16u);
  if (thread % 2u == 0u) {
    _ = atomicExchange(&places[first_place(instance)], low);
    _ = atomicExchange(&places[second_place(instance)], high);
  } else {
    atomicStore(&places[second_place(instance)], high);
    atomicStore(&places[first_place(instance)], low);
  }
  let seen = partner(instance);
  var taken = false;
  var is_wrong = false;
  for (var attempt = 0u; attempt < ATTEMPTS && !taken; attempt++) {
    let found_low = atomicLoad(&places[first_place(seen)]);
    let found_high = atomicLoad(&places[second_place(seen)]);
    taken = has_tag(found_low) && has_tag(found_high);
    is_wrong = taken && ((found_low & 0xffffu) | (found_high << 16u)) != handed_on(seen);
  }
  keep(seen, 0u, select(0u, 1u, taken));
  keep(seen, 1u, select(0u, 1u, is_wrong));
}
