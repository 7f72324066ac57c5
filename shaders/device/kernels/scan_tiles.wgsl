// One work-group scans one tile. The tile's prefixes start from its carry, which is the combination of the tiles before it.
// Linked with contract.wgsl, an algorithm, load_items.wgsl, store_prefixes.wgsl, an input and
// an output, length_*.wgsl, carry_*.wgsl and total_*.wgsl.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// The last tiles come first: the pass before read them last, so they may still be in a cache.
// Work-group memory: the algorithm's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let number = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let length = data_length();
  if (number > last_tile(length)) {
    return;
  }
  let tile = last_tile(length) - number;

  let elements = load_items(tile, thread, length);
  let scan = begin_scan(elements, thread);
  let carry = load_carry(tile);
  store_prefixes(tile, thread, length, finish_run(run_of(scan, elements), combine(carry, before_run(scan))));

  // The last tile that holds an item stores the total of all tiles. If there is no item, the first tile does.
  if (tile == last_tile(length) && thread == 0u) {
    store_total(combine(carry, scan.total));
  }
}
