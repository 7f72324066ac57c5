// Stores the number of each item's bin. That of an item outside all bins is BINS or more.
// Linked with contract.wgsl, an input of single items, length_*.wgsl and bin_*.wgsl.
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
      bin_numbers[index] = bin_of(read_item(index), index);
    }
  }
}
