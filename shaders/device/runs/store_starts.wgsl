// Stores the index of each run's first item. Indices count from call.first_index.
// Linked with run_lengths.wgsl, numbers_alone.wgsl and stage_firsts.wgsl. Call from any control flow. No work-group memory.

fn store_number(place: u32, at: u32, last: u32) {
  if (place < call.room) {
    write_item(place, staged_firsts[at] - 1u + call.first_index);
  }
}
