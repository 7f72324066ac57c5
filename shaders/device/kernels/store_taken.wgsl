// Stores the elements that a selection has taken, and their positions, in the order in which a sort has put the positions.
// Linked with contract.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl.
// Dispatch at least one work-group for each tile. Threads past the last element store nothing. No work-group memory.

@group(0) @binding(18) var<storage, read_write> indices: array<u32>;
@group(0) @binding(19) var<storage, read> positions: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn store_taken(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (tile < call.tiles && index < length) {
      let position = positions[index];
      write_item(index, read_item(position));
      indices[call.indices_base + index] = position + call.first_index;
    }
  }
}
