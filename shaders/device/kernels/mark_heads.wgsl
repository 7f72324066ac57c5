// Sets the bit of the first item of each segment that offsets give: segment n has the items from offsets[n] up to, and not
// with, offsets[n + 1]. A segment also starts where the last one ends, so that the items behind it are no part of it.
// Offsets past the end of the data start nothing.
// Linked with contract.wgsl, offsets.wgsl, head_words.wgsl, length_*.wgsl, and mark_empty.wgsl or mark_no_empty.wgsl. Dispatch call.tiles
// work-groups, or more: together they take all offsets. No work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn mark_heads(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  if (tile >= call.tiles) {
    return;
  }
  let length = data_length();
  for (
    var segment = tile * WORK_GROUP_SIZE + local_index;
    segment <= call.segment_count;
    segment += call.tiles * WORK_GROUP_SIZE
  ) {
    let start = offset_at(segment, length);
    if (start < length) {
      atomicOr(&head_words[start / 32u], 1u << (start % 32u));
    }
    if (segment < call.segment_count && start >= offset_at(segment + 1u, length)) {
      mark_empty(segment);
    }
  }
}
