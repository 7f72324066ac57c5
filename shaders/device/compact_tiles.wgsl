// One work-group moves the kept items of one tile to their places: the carry (how many are kept in
// the tiles before it) and the number kept before them in the tile.
// Linked with contract.wgsl (Element is u32, the operator is add), an algorithm of work_group/,
// io_*.wgsl and carry_spine.wgsl.
// Dispatch at least one work-group a tile; those past the last tile write nothing.
// Work-group memory: the algorithm's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn compact_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = work_group.y * params.grid_width + work_group.x;
  let first = tile * TILE + local_index * ITEMS;

  var kept: array<bool, ITEMS>;
  var count = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    kept[item] = false;
    if (first + item < params.length) {
      kept[item] = keep(first + item);
    }
    count += select(0u, 1u, kept[item]);
  }

  var slot = load_carry(tile) + work_group_scan_exclusive(count, local_index).prefix;

  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (kept[item]) {
      write_item(slot, kept_item(first + item));
      slot++;
    }
  }
}
