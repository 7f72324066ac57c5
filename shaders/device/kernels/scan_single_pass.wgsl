// A whole scan in one dispatch. Each work-group scans one tile, hands on the tile's total, and looks back at what the tiles
// before it handed on. Each item is read once and written once.
// Linked with contract.wgsl, an algorithm, load_items.wgsl, store_prefixes.wgsl, an input and
// an output, length_*.wgsl, look_back.wgsl, tile_*.wgsl and total_*.wgsl. The output must not overlap the input.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// Work-group memory: the algorithm's, and the look-back's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_single_pass(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let tile = tile_of(work_group, thread);
  let length = data_length();
  if (tile > last_tile(length)) {
    return;
  }
  take_tile(tile, thread, length);
}

// Scans one tile. Call in uniform control flow.
fn take_tile(tile: u32, thread: u32, length: u32) {
  let elements = load_items(tile, thread, length);
  let scan = begin_scan(elements, thread);
  hand_on(tile, scan.total, thread);
  // The total is handed on, so do the slow part of the scan now, before the look-back waits for other tiles.
  let run = run_of(scan, elements);
  let before = before_run(scan);
  look_back(tile, scan.total, thread, length);
  after_look_back(thread);
  store_prefixes(tile, thread, length, finish_run(run, combine(carry(), before)));
  store_last_total(tile, thread, length, scan.total);
}

// The first thread of the last tile stores the total of all tiles. `total` is its own tile's.
fn store_last_total(tile: u32, thread: u32, length: u32, total: Element) {
  if (tile == last_tile(length) && thread == 0u) {
    store_total(combine(carry(), total));
  }
}

// Work-groups of more than one tile take the next one here, while this one's prefixes are on their way: see take_tiles.wgsl.
fn after_look_back(thread: u32) {
}

// Combines `before` with a vector's items. Only for a tile whose total is computed again.
fn combine_vector(before: Element, place: u32, length: u32) -> Element {
  var items = read_edge(place, length);
  var sum = before;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    if (place * VECTOR + item < length) {
      sum = combine(sum, element_from_item(items[item], place * VECTOR + item));
    }
  }
  return sum;
}
