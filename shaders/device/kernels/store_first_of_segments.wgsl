// Stores the first elements of each segment, and their positions, from what a sort of each segment has left: positions in order. A segment
// has call.k places. If it has fewer elements, all bits of the others are 0, and their positions are the greatest u32.
// Linked with contract.wgsl, input_items.wgsl, output_items.wgsl, length_*.wgsl, segments/offsets.wgsl and sort/segments_by_offsets.wgsl.
// Dispatch at least one work-group for each tile of places. Threads past the last place store nothing. No work-group memory.

@group(0) @binding(18) var<storage, read_write> indices: array<u32>;
@group(0) @binding(19) var<storage, read> positions: array<u32>;

const NO_POSITION = 0xffffffffu;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn store_first_of_segments(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (tile < call.tiles && place < call.segment_count * call.k) {
      let span = span_of_segment(place / call.k, length);
      let sorted = span.x + place % call.k;
      var value = Output();
      var position = NO_POSITION;
      if (sorted < span.y) {
        value = read_item(positions[sorted]);
        position = positions[sorted] + call.first_index;
      }
      write_item(place, value);
      indices[call.indices_base + place] = position;
    }
  }
}
