// Whole words: threads of four work-groups store words in one place. Both halves of a word are the same. Nobody must load a
// word with halves of two stores.
// Results: the halves of a word.
// Linked with run_litmus.wgsl. Call in any control flow. No work-group memory.

const WRITERS = 4u;

fn test_instance(instance: u32, thread: u32) {
  let half = (instance * 5u + iteration.number) & 0xffffu;
  let word = (half << 16u) | half;
  let place = first_place(shared_number(instance, WRITERS));
  if (thread % 2u == 0u) {
    atomicStore(&places[place], word);
  } else {
    _ = atomicExchange(&places[place], word);
  }
  let seen = atomicLoad(&places[first_place(shared_number(partner(instance), WRITERS))]);
  keep(instance, 0u, seen & 0xffffu);
  keep(instance, 1u, seen >> 16u);
}
