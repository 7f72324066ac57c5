// Counts the elements that a selection takes of each segment: as many as the segment's k says, at most call.k, or all if it has fewer. The
// first count is 0, so that a scan of the counts gives where the results of each segment start, and where the last ones end. Stores where each
// segment begins, too.
// Linked with contract.wgsl, a sort/segments_by_*.wgsl, output_items.wgsl and length_*.wgsl.
// Dispatch at least one work-group for each tile of counts. There is one more than there are segments. Threads past the last count store
// nothing. No work-group memory.

@group(0) @binding(1) var<storage, read> k: array<u32>;
@group(0) @binding(18) var<storage, read_write> begins: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn count_taken(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (tile < call.tiles && place <= call.segment_count) {
      var count = 0u;
      if (place > 0u) {
        let segment = place - 1u;
        let span = span_of_segment(segment, length);
        // A segment that ends before it begins has no element.
        count = min(min(k[call.k_base + segment], call.k), max(span.y, span.x) - span.x);
        begins[segment] = span.x;
      }
      write_item(place, count);
    }
  }
}
