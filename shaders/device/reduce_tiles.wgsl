// One work-group reduces one tile, and stores the tile's total at the tile's place.
// Linked with contract.wgsl, an algorithm of work_group/ and io_two_buffers.wgsl or io_one_buffer.wgsl.
// Dispatch at least one work-group a tile; those past the last tile store nothing. An empty input
// has one tile, whose total is the identity.
// Work-group memory: the algorithm's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn reduce_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = work_group.y * params.grid_width + work_group.x;
  let first = tile * TILE + local_index * ITEMS;

  var sum = identity();
  if (first < params.length) {
    sum = load(first);
  }
  for (var item = 1u; item < ITEMS; item++) { // unroll
    if (first + item < params.length) {
      sum = combine(sum, load(first + item));
    }
  }

  let total = work_group_reduce(sum, local_index);
  let last_tile = (max(params.length, 1u) - 1u) / TILE;
  if (tile <= last_tile && local_index == 0u) {
    store(tile, total);
  }
}
