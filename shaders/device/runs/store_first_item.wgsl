// Stores the first item of each run.
// Linked with run_lengths.wgsl and keys_by_expression.wgsl. Call from any control flow. No work-group memory.
// replaces: store_run

@group(0) @binding(15) var<storage, read_write> first_items: array<Keyed>;

fn store_run(place: u32, first: u32, key: Key) {
  if (place < params.segment_count) {
    first_items[params.unique_base + place] = keys[params.keys_base + first];
  }
}
