// Coherence: one thread stores 1 and then 2 in a place, and another loads that place again and again. A load must not get an
// older value than the load before it.
// Results: two values, in the order of their loads; if some load went back, the value before it, and its own.
// Linked with run_litmus.wgsl. Call in any control flow. No work-group memory.

const LOADS = 6u;

fn test_instance(instance: u32, thread: u32) {
  let own = first_place(instance);
  let seen = partner(instance);
  let place = first_place(seen);
  atomicStore(&places[own], word_of(1u));
  var earlier = value_of(atomicLoad(&places[place]));
  var pair = vec2<u32>(earlier, earlier);
  for (var load = 0u; load < LOADS; load++) {
    if (load == LOADS / 2u) {
      atomicStore(&places[own + iteration.zero], word_of(2u));
    }
    let later = value_of(atomicLoad(&places[place + load * iteration.zero]));
    if (pair.x <= pair.y) {
      pair = vec2<u32>(earlier, later);
    }
    earlier = later;
  }
  keep(seen, 0u, pair.x);
  keep(seen, 1u, pair.y);
}
