// Stores something for each element at its position. An element whose position is past the end of the output is left out.
// Linked with contract.wgsl, length_*.wgsl and a file of device/scatter with what that reads and writes.
// Dispatch at least one work-group for each tile. Threads past the last element store nothing. No work-group memory.

@group(0) @binding(19) var<storage, read> positions: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scatter_items(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (tile < call.tiles && index < length) {
      let position = positions[call.positions_base + index];
      if (position < call.room) {
        store_at(position, index);
      }
    }
  }
}
