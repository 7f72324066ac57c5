// Stores how many items each run has: where the next run starts says that. So tiles also hand on where the last run starts.
// Linked with run_lengths.wgsl and stage_firsts.wgsl. An element is two words. Call from any control flow, and runs_of_subgroup in uniform
// control flow. No work-group memory.

fn store_number(place: u32, at: u32, last: u32) {
  var before = last;
  if (at > 0u) {
    before = staged_firsts[at - 1u];
  }
  if (place > 0u) {
    store_length(place - 1u, staged_firsts[at] - before);
  }
}

fn store_length(place: u32, items: u32) {
  if (place < call.room) {
    write_item(place, items);
  }
}

fn runs_of_subgroup(number: u32, last: u32) -> Element {
  return started_runs(number, subgroupMax(last));
}

fn started_runs(number: u32, last: u32) -> Element {
  return Element(number, last);
}

fn number_of(runs: Element) -> u32 {
  return runs.x;
}

fn last_of(runs: Element) -> u32 {
  return runs.y;
}
