// Stores how many items each run has: where the next run starts says that.
// Linked with run_lengths.wgsl and stage_firsts.wgsl. Call from any control flow. No work-group memory.
// replaces: store_number, store_length

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
  if (place < call.segment_count) {
    write_item(place, items);
  }
}
