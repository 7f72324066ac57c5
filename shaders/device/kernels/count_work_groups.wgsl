// Counts the work-groups that the length on the GPU takes, and stores them as the arguments of an indirect dispatch. A row of
// that dispatch has call.counted_grid_width work-groups. An empty input takes one work-group.
// Linked with contract.wgsl and length_buffer.wgsl. Dispatch one work-group. No work-group memory.

@group(0) @binding(2) var<storage, read_write> work_groups: array<u32>;

@compute @workgroup_size(1)
fn count_work_groups() {
  let tiles = last_tile(data_length()) + 1u;
  work_groups[0] = min(tiles, call.counted_grid_width);
  work_groups[1] = (tiles + call.counted_grid_width - 1u) / call.counted_grid_width;
  work_groups[2] = 1u;
}
