// Stores the index of each run's first item, and not how many it has. Indices count from params.first_index.
// Linked with run_lengths.wgsl. Call from any control flow. No work-group memory.
// replaces: store_start, store_length

fn store_start(place: u32, first: u32) {
  if (place < params.segment_count) {
    write_item(place, first + params.first_index);
  }
}

fn store_length(place: u32, items: u32) {
}
