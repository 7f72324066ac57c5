// One work-group scans one tile: its own prefix, on top of the carry from the tiles before it.
// Linked with contract.wgsl, an algorithm of work_group/, io_*.wgsl, carry_*.wgsl, total_*.wgsl.
// Dispatch at least one work-group a tile; those past the last tile do no harm.
// Work-group memory: the algorithm's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = work_group.y * params.grid_width + work_group.x;
  let first = tile * TILE + local_index * ITEMS;

  // Load, and combine the thread's own items.
  var items: array<Element, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    items[item] = identity();
    if (first + item < params.length) {
      items[item] = load(first + item);
    }
  }
  var sum = items[0];
  for (var item = 1u; item < ITEMS; item++) { // unroll
    sum = combine(sum, items[item]);
  }

  // What comes before the thread's own items: the carry, then the threads before it.
  let scan = work_group_scan_exclusive(sum, local_index);
  let carry = load_carry(tile);
  var prefix = combine(carry, scan.prefix);

  // Store each prefix.
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let before = prefix;
    prefix = combine(prefix, items[item]);
    if (first + item < params.length) {
      store(first + item, select_prefix(before, prefix));
    }
  }

  // The last tile that holds an item (the first where there is none) hands on the total of all.
  let last_tile = (max(params.length, 1u) - 1u) / TILE;
  if (tile == last_tile && local_index == 0u) {
    store_total(combine(carry, scan.total));
  }
}

fn select_prefix(before: Element, prefix: Element) -> Element {
  if (EXCLUSIVE) {
    return before;
  }
  return prefix;
}
