// Neither lengths nor starts of runs are stored.
// Linked with run_lengths.wgsl and numbers_alone.wgsl. Call from any control flow. No work-group memory.

fn store_number(place: u32, at: u32, last: u32) {
}
