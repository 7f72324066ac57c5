// Tickets and claims: threads of all work-groups add 1 to a few counters, and exchange words. Each must get a number that nobody
// else gets, and one thread alone must find that nobody claimed the word before.
// Results: the number, and whether the thread was the first to claim.
// Linked with run_litmus.wgsl. Call in any control flow. No work-group memory.

fn test_instance(instance: u32, thread: u32) {
  let before = (iteration.number - 1u) * (INSTANCES / COUNTERS);
  // Neighbours share a counter, and so do threads of all work-groups.
  let counter = FIRST_PLACE + instance / 2u % COUNTERS;
  keep(instance, 0u, atomicAdd(&places[counter], 1u) - before);
  let claim = FIRST_PLACE + COUNTERS + shared_number(instance, CLAIMANTS);
  keep(instance, 1u, select(0u, 1u, atomicExchange(&places[claim], iteration.number) != iteration.number));
}
