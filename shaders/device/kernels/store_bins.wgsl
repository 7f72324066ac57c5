// Stores the number of each item's bin among the bins of all channels. That of an item outside all bins is 2^32 - 1, which no bin has.
// Linked with contract.wgsl, an input of single items, length_*.wgsl, bin_*.wgsl and channel_*.wgsl.
// Dispatch a work-group for each tile. No work-group memory.

@group(0) @binding(18) var<storage, read_write> bin_numbers: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn store_bins(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  for (var item = 0u; item < ITEMS; item++) {
    let index = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (index < length) {
      let bin = bin_of(read_item(index), index);
      let channel = channel_of(index);
      bin_numbers[index] = select(0xffffffffu, channel * BINS + bin, bin < BINS && channel < CHANNELS);
    }
  }
}
