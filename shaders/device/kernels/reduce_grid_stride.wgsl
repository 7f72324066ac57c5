// A whole reduction in one dispatch, by an operator that may combine in any order. Each work-group counts itself as it begins, and
// takes every params.tiles-th tile. Each thread combines its items of all of these tiles, and then the threads combine their results
// once. The work-group that began last combines the totals of all work-groups. By then, all others have begun, so it waits for
// totals that are on their way.
//
// It does not wait for ever. Totals are entries of a spine, whose words say whether they are of this run. After PATIENCE attempts
// to read them for each tile that a work-group takes, it computes those that are missing itself. Either way, each thread combines the
// same totals in the same order.
//
// Linked with contract.wgsl, subgroup_any_order.wgsl, load_items.wgsl, an input, output_items.wgsl, length_*.wgsl,
// reduce_tiles.wgsl and look_back.wgsl. Each run has a counter of its own, which starts at 0, behind the spine's entries.
// Dispatch params.tiles work-groups. Those past the last tile end at once.
// Work-group memory: the algorithm's, an element and three words.
// replaces: reduce_tiles

@compute @workgroup_size(WORK_GROUP_SIZE)
fn reduce_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let number = work_group.y * params.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let length = data_length();
  let last = last_total(length);
  if (number > last) {
    return;
  }

  var begun = 0u;
  if (thread == 0u) {
    begun = atomicAdd(&spine[2u * params.spine_entries * ENTRY_WORDS + run_number()], 1u);
  }
  let own = reduce_threads(combine_tiles(number, thread, length));
  if (thread == 0u) {
    delay_tile(number);
    write_place(entry_of_tile(number), own, 0u, 1u);
    totals_are_due = select(0u, 1u, begun == last);
  }
  if (workgroupUniformLoad(&totals_are_due) == 0u) {
    return;
  }

  let total = reduce_threads(read_totals(thread, length));
  if (thread == 0u) {
    write_item(0u, item_from_element(result_of(total)));
  }
}

// Whether the work-group began last, whether one of its threads lacks a total, and a total that is computed anew.
var<workgroup> totals_are_due: u32;
var<workgroup> totals_missing: atomic<u32>;
var<workgroup> total_is_missing: u32;
var<workgroup> total_again: Element;

// The last work-group that has a tile.
fn last_total(length: u32) -> u32 {
  return min(last_tile(length), params.tiles - 1u);
}

// The thread's items of all tiles of a work-group, combined.
fn combine_tiles(number: u32, thread: u32, length: u32) -> Element {
  var total = identity();
  for (var tile = number; tile <= last_tile(length); tile += params.tiles) {
    total = with_items(total, load_items(tile, thread, length));
  }
  return total;
}

// Every WORK_GROUP_SIZE-th total, combined. As many of them as a vector has items are read at the same time. Call in uniform control flow.
fn read_totals(thread: u32, length: u32) -> Element {
  let last = last_total(length);
  var total = identity();
  var is_whole = false;
  let attempts = PATIENCE * (1u + last_tile(length) / params.tiles);
  for (var attempt = 0u; attempt <= attempts && !is_whole; attempt++) {
    is_whole = true;
    total = identity();
    for (var first = thread; first <= last; first += VECTOR * WORK_GROUP_SIZE) {
      for (var next = 0u; next < VECTOR; next++) { // unroll
        let number = first + next * WORK_GROUP_SIZE;
        let found = read_place(entry_of_tile(min(number, last)));
        is_whole &= found.is_whole;
        if (number <= last) {
          total = combine(total, found.element);
        }
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
    total = totals_again(thread, length);
  }
  return total;
}

// The slow way, if a total is missing: all threads go through the totals, and compute again what is not there. Each thread gets the
// same totals, in the same order, as from read_totals.
fn totals_again(thread: u32, length: u32) -> Element {
  var all = identity();
  for (var number = 0u; number <= last_total(length); number++) {
    if (thread == 0u) {
      let found = read_place(entry_of_tile(number));
      total_again = found.element;
      total_is_missing = select(1u, 0u, found.is_whole);
    }
    if (workgroupUniformLoad(&total_is_missing) != 0u) {
      let total = reduce_threads(combine_tiles(number, thread, length));
      if (thread == 0u) {
        total_again = total;
      }
    }
    let total = workgroupUniformLoad(&total_again);
    if (thread == number % WORK_GROUP_SIZE) {
      all = combine(all, total);
    }
  }
  return all;
}
