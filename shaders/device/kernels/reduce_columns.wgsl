// Reduces each column of a matrix, or the part of each column that is in each chunk of rows. A thread reduces one run to
// its total, and stores it at the run's place. So the totals of chunks are a matrix with the same columns.
// Linked with contract.wgsl, chunks.wgsl, an input of single items, output_items.wgsl, result*.wgsl and length_*.wgsl. Dispatch at
// least call.segment_count threads. The threads past that many store nothing. No work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn reduce_columns(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let place = tile * WORK_GROUP_SIZE + local_index;
  if (place >= call.segment_count) {
    return;
  }
  let run = run_at(place, data_length());
  var total = identity();
  if (run.count == 0u) {
    total = total_of_nothing();
  }
  var index = run.first;
  var left = run.count;
  while (left >= ITEMS) {
    // All loads come before the first combination, so that no load waits for another.
    var elements: array<Element, ITEMS>;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let at = index + item * call.columns;
      elements[item] = element_from_item(read_item(at), at);
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      total = combine(total, elements[item]);
    }
    index += ITEMS * call.columns;
    left -= ITEMS;
  }
  while (left > 0u) {
    total = combine(total, element_from_item(read_item(index), index));
    index += call.columns;
    left -= 1u;
  }
  write_item(place, item_from_element(result_of(total)));
}
