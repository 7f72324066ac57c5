// Clears the bits that say where segments start.
// Linked with contract.wgsl, head_words.wgsl and length_*.wgsl. Dispatch at least one work-group for each tile of words. No
// work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn clear_heads(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let first = tile * TILE + local_index;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let word = first + item * WORK_GROUP_SIZE;
    if (word < call.length) {
      atomicStore(&head_words[word], 0u);
    }
  }
}
