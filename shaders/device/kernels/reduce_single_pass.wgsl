// A whole reduction in one dispatch. Each work-group counts itself as it begins, reduces one tile, and hands on the tile's total.
// The one that began last combines all totals, as a second dispatch of reduce_tiles.wgsl would. By then, all others have begun,
// so it waits for totals that are on their way: to count work-groups as they end takes a round trip to memory more.
//
// It does not wait for ever. Totals are entries of a spine, whose words say whether they are of this run. After PATIENCE attempts
// to read them, the work-group computes those that are missing itself.
//
// Linked with contract.wgsl, an algorithm, load_items.wgsl, an input, output_items.wgsl, length_*.wgsl, reduce_tiles.wgsl and
// look_back.wgsl. For at most TILE tiles. Each run has a counter of its own, which starts at 0, behind the spine's entries.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// Work-group memory: the algorithm's, an element and three words.
// replaces: reduce_tiles

@compute @workgroup_size(WORK_GROUP_SIZE)
fn reduce_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * params.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let length = data_length();
  let last = last_tile(length);
  if (tile > last) {
    return;
  }

  var begun = 0u;
  if (thread == 0u) {
    begun = atomicAdd(&spine[2u * params.spine_entries * ENTRY_WORDS + run_number()], 1u);
  }
  let own = reduce_tile(load_items(tile, thread, length), thread);
  if (thread == 0u) {
    delay_tile(tile);
    write_place(entry_of_tile(tile), own, 0u, 1u);
    totals_are_due = select(0u, 1u, begun == last);
  }
  if (workgroupUniformLoad(&totals_are_due) == 0u) {
    return;
  }

  let total = reduce_tile(read_totals(thread, length), thread);
  if (thread == 0u) {
    write_item(0u, item_from_element(result_of(total)));
  }
}

// Whether the work-group began last, whether one of its threads lacks a total, and a total that is computed anew.
var<workgroup> totals_are_due: u32;
var<workgroup> totals_missing: atomic<u32>;
var<workgroup> total_is_missing: u32;
var<workgroup> total_again: Element;

// The totals that a thread takes, as load_items loads items. Call in uniform control flow.
fn read_totals(thread: u32, length: u32) -> array<Element, ITEMS> {
  let last = last_tile(length);
  var totals: array<Element, ITEMS>;
  var is_whole = false;
  for (var attempt = 0u; attempt <= PATIENCE && !is_whole; attempt++) {
    is_whole = true;
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let first = vector_of(0u, thread, vector) * VECTOR;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        let found = read_place(entry_of_tile(min(first + item, last)));
        is_whole &= found.is_whole;
        totals[vector * VECTOR + item] = found.element;
      }
    }
  }
  if (!is_whole) {
    atomicStore(&totals_missing, 1u);
  }
  workgroupBarrier();
  if (thread == 0u) {
    total_is_missing = atomicLoad(&totals_missing);
  }
  if (workgroupUniformLoad(&total_is_missing) != 0u) {
    totals = totals_again(thread, length);
  }
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let first = vector_of(0u, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (first + item > last) {
        totals[vector * VECTOR + item] = identity();
      }
    }
  }
  return totals;
}

// The slow way, if a total is missing: all threads go through the totals, and compute again what is not there.
fn totals_again(thread: u32, length: u32) -> array<Element, ITEMS> {
  var totals: array<Element, ITEMS>;
  for (var tile = 0u; tile <= last_tile(length); tile++) {
    if (thread == 0u) {
      let found = read_place(entry_of_tile(tile));
      total_again = found.element;
      total_is_missing = select(1u, 0u, found.is_whole);
    }
    if (workgroupUniformLoad(&total_is_missing) != 0u) {
      let total = reduce_tile(load_items(tile, thread, length), thread);
      if (thread == 0u) {
        total_again = total;
      }
    }
    let total = workgroupUniformLoad(&total_again);
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let first = vector_of(0u, thread, vector) * VECTOR;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        if (first + item == tile) {
          totals[vector * VECTOR + item] = total;
        }
      }
    }
  }
  return totals;
}
