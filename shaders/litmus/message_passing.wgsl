// Message passing: one thread stores in a first place, and then in a second one. Another loads the second place, and then the
// first one. It may see the later store and not the earlier one: nothing orders two places.
// Results: what was loaded of the second place, and then of the first one.
// Linked with run_litmus.wgsl. Call in any control flow. No work-group memory.

fn test_instance(instance: u32, thread: u32) {
  atomicStore(&places[first_place(instance)], word_of(1u));
  atomicStore(&places[second_place(instance)], word_of(1u));
  let seen = partner(instance);
  let second = value_of(atomicLoad(&places[second_place(seen)]));
  let first = value_of(atomicLoad(&places[first_place(seen)]));
  keep(seen, 0u, second);
  keep(seen, 1u, first);
}
