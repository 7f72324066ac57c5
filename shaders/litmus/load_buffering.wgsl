// Load buffering: of two threads, each loads a place, and then stores in the place that the other loads. Both may see what the
// other stores only later: nothing orders two places.
// Results: what each loaded.
// Linked with run_litmus.wgsl. Call in any control flow. No work-group memory.

fn test_instance(instance: u32, thread: u32) {
  let seen = partner(instance);
  let of_first = value_of(atomicLoad(&places[first_place(instance)]));
  atomicStore(&places[second_place(instance)], word_of(1u));
  let of_second = value_of(atomicLoad(&places[second_place(seen)]));
  atomicStore(&places[first_place(seen)], word_of(1u));
  keep(instance, 0u, of_first);
  keep(seen, 1u, of_second);
}
