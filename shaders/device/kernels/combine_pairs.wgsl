// Combines items two by two: the output's item i is the combination of the input's items 2i and
// 2i + 1, and of nothing else. For trying an operator on pairs of values.
// Linked with contract.wgsl, input_items.wgsl and output_items.wgsl.
// Dispatch at least one thread for each pair. Threads past the last pair store nothing. No work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn combine_pairs(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let pair = tile * WORK_GROUP_SIZE + local_index;
  if (pair < call.length / 2u) {
    let earlier = element_from_item(read_item(2u * pair), 2u * pair);
    let later = element_from_item(read_item(2u * pair + 1u), 2u * pair + 1u);
    write_item(pair, item_from_element(combine(earlier, later)));
  }
}
