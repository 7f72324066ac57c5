// Store buffering: of two threads, each stores in a place of its own, and then loads the other's. Both may miss the other's
// store: nothing orders two places.
// Results: what each loaded.
// Linked with run_litmus.wgsl. Call in any control flow. No work-group memory.

fn test_instance(instance: u32, thread: u32) {
  let seen = partner(instance);
  atomicStore(&places[first_place(instance)], word_of(1u));
  let of_second = value_of(atomicLoad(&places[second_place(instance)]));
  atomicStore(&places[second_place(seen)], word_of(1u));
  let of_first = value_of(atomicLoad(&places[first_place(seen)]));
  keep(instance, 0u, of_second);
  keep(seen, 1u, of_first);
}
