// One work-group scans one tile of exact sums, on top of its carry. Where the tile's items span few binades, and what the carry has
// above them has room, the tile is scanned in fixed point. Other tiles are scanned in whole sums. Both ways give the same bits, so
// each tile chooses for itself.
// Dispatch at least one work-group for each tile. Work-groups past the last tile store nothing.
// Linked with tiles.wgsl, prefixes.wgsl and what that lists, carry_*.wgsl and total_*.wgsl.
// Work-group memory: that of tiles.wgsl, and two words.
// replaces: scan_tiles

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * params.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let length = data_length();

  let items = take_items(tile, thread, length);
  let stores_total = tile == last_tile(length) && thread == 0u;
  if (scan_fixed(items, thread, tile, length, stores_total)) {
    return;
  }
  let scan = scan_sums(sum_of_run(items, thread), thread);
  let carry = load_carry(tile);
  let before = combine(carry, scan.before);
  if (has_items(tile, thread, length) && !store_near(items, thread, tile, length, before)) {
    store_whole(tile, thread, length, before);
  }

  // The last tile that holds an item stores the total of all tiles. If there is no item, the first tile does.
  if (stores_total) {
    store_total(combine(carry, scan.total));
  }
}

// Scans the tile in fixed point, and stores its prefixes. Otherwise it returns false. The result is uniform.
fn scan_fixed(items: Items, thread: u32, tile: u32, length: u32, stores_total: bool) -> bool {
  let base = find_base(items, thread);
  if (base == NO_BASE) {
    return false;
  }
  var own = items.bits;
  // The carry joins in with the first item.
  var start: Fixed;
  if (thread == 0u) {
    start = fixed_from_whole(load_carry(tile), base, is_minus_zero(own[0]));
  }
  var sum = fixed_add(start, fixed_of_run(items, base));
  for (var distance = 1u; distance < WORK_GROUP_SIZE; distance <<= 1u) {
    put_fixed(thread, sum);
    workgroupBarrier();
    if (thread >= distance) {
      sum = fixed_add(take_fixed(thread - distance), sum);
    }
    workgroupBarrier();
  }
  put_fixed(thread, sum);
  let rest = workgroupUniformLoad(&fixed_rest);
  if (workgroupUniformLoad(&fixed_fits) == 0u) {
    return false;
  }
  if (thread > 0u) {
    start = take_fixed(thread - 1u);
  }
  let total = take_fixed(WORK_GROUP_SIZE - 1u);
  // From here on, each thread has its place in memory for itself.
  workgroupBarrier();
  stage_nothing(thread);
  if (has_items(tile, thread, length)) {
    store_fixed(items, thread, tile, length, start, rest, base);
  }
  store_staged(thread, tile, length);
  if (stores_total) {
    store_total(whole_from_fixed(total, thread, tile, base));
  }
  return true;
}
