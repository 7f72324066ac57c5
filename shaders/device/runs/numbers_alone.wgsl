// Tiles hand on how many runs start, and not where the last one does: only lengths need that.
// Linked with run_lengths.wgsl. An element is a word. Call from any control flow. No work-group memory.

fn runs_of_subgroup(number: u32, last: u32) -> Element {
  return number;
}

fn started_runs(number: u32, last: u32) -> Element {
  return number;
}

fn number_of(runs: Element) -> u32 {
  return runs;
}

fn last_of(runs: Element) -> u32 {
  return 0u;
}

fn store_length(place: u32, items: u32) {
}
