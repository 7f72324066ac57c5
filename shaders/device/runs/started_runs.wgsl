// An element of run lengths: how many runs start, and one more than the index of the last item that starts one, or 0.
// Linked with run_lengths.wgsl. Call from any control flow. No work-group memory.

fn started_runs(number: u32, last: u32) -> Element {
  return Element(number, last);
}

fn number_of(runs: Element) -> u32 {
  return runs.x;
}

fn last_of(runs: Element) -> u32 {
  return runs.y;
}
