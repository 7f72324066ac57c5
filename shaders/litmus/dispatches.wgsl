// Dispatches: a dispatch must see all that the dispatch before it stored, with plain stores and with atomic ones.
// Results: whether each of the two kinds of loads got another value.
// Linked with run_litmus.wgsl. Call in any control flow. No work-group memory.

// What an instance stores in an iteration.
fn stored_in(number: u32, instance: u32) -> u32 {
  return number * INSTANCES + instance;
}

fn test_instance(instance: u32, thread: u32) {
  // Each iteration stores in the half that the iteration before did not store in.
  let own = iteration.number % 2u * INSTANCES;
  plain_places[own + instance] = stored_in(iteration.number, instance);
  atomicStore(&places[FIRST_PLACE + own + instance], stored_in(iteration.number, instance));
  let seen = partner(instance);
  let place = INSTANCES - own + seen;
  let wanted = select(0u, stored_in(iteration.number - 1u, seen), iteration.number > 1u);
  keep(instance, 0u, select(0u, 1u, plain_places[place] != wanted));
  keep(instance, 1u, select(0u, 1u, atomicLoad(&places[FIRST_PLACE + place]) != wanted));
}
