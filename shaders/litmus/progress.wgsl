// Progress: work-groups number themselves as they start, and wait for the one before, which started earlier. That one should go
// on meanwhile, and its store should become visible. There are more work-groups than run at the same time.
// Results, of one thread of each work-group: how often it looked until it saw the store, at most WAITS; and its number.
// Linked with run_litmus.wgsl. Call in any control flow. No work-group memory.

// Takes far longer than a load.
const DELAY = 60u;

fn test_instance(instance: u32, thread: u32) {
  if (thread == 0u) {
    let ticket = atomicAdd(&places[TICKETS], 1u) - (iteration.number - 1u) * TESTERS;
    let own = first_place(ticket);
    for (var at = 0u; at < DELAY; at++) {
      atomicAdd(&places[own + INSTANCES * MOST_STRIDE], 1u);
    }
    _ = atomicExchange(&places[own], word_of(1u));
    var looks = 0u;
    if (ticket > 0u) {
      for (; looks < WAITS; looks++) {
        if (value_of(atomicLoad(&places[first_place(ticket - 1u)])) == 1u) {
          break;
        }
      }
    }
    keep(instance, 0u, looks);
    keep(instance, 1u, ticket);
  }
}
