// Nothing is stored for a run but its number, if that.
// Linked with run_lengths.wgsl. Call from any control flow. No work-group memory.

fn stage_key(at: u32, key: Key) {
}

fn store_run(place: u32, at: u32) {
}
