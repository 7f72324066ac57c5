// An element of run lengths if no lengths are stored: how many runs start.
// Linked with run_lengths.wgsl. Call from any control flow. No work-group memory.

fn started_runs(number: u32, last: u32) -> Element {
  return number;
}

fn number_of(runs: Element) -> u32 {
  return runs;
}

fn last_of(runs: Element) -> u32 {
  return 0u;
}
