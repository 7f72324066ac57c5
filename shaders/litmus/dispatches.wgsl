// Dispatches: a dispatch must see all that the dispatch before it stored, with plain stores and with atomic ones.
// Results: whether each of the two kinds of loads got another value.
// Linked with run_litmus.wgsl. Call in any control flow. No work-group memory.

// What an instance stores in a turn.
fn stored_in(turn_number: u32, instance: u32) -> u32 {
  return turn_number * INSTANCES + instance;
}

fn test_instance(instance: u32, thread: u32) {
  // Each turn stores in the half that the turn before did not store in.
  let own = turn.number % 2u * INSTANCES;
  plain_places[own + instance] = stored_in(turn.number, instance);
  atomicStore(&places[FIRST_PLACE + own + instance], stored_in(turn.number, instance));
  let seen = partner(instance);
  let place = INSTANCES - own + seen;
  let wanted = select(0u, stored_in(turn.number - 1u, seen), turn.number > 1u);
  keep(instance, 0u, select(0u, 1u, plain_places[place] != wanted));
  keep(instance, 1u, select(0u, 1u, atomicLoad(&places[FIRST_PLACE + place]) != wanted));
}
