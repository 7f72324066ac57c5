// Stores nothing for a run but its key or its first item.
// Linked with run_lengths.wgsl. Call from any control flow. No work-group memory.
// replaces: store_length

fn store_length(place: u32, items: u32) {
}
