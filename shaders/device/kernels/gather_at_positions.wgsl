// Gives each position the value that stands there. A position past the last value gives zero.
// Linked with contract.wgsl, input_items.wgsl, output_items.wgsl, length_*.wgsl and a file of device/gather.
// Dispatch at least one work-group for each tile. Threads past the last position store nothing. No work-group memory.

@group(0) @binding(17) var<storage, read> values: array<Output>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn gather_at_positions(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  let most = values_length();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (tile < call.tiles && index < length) {
      let position = read_item(index);
      var value = Output();
      if (position < most) {
        value = values[call.values_base + position];
      }
      write_item(index, value);
    }
  }
}
