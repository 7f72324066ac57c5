// A whole reduction in one dispatch. Each work-group counts itself as it begins, and hands on a total: of one tile, or of every
// call.tiles-th tile. The work-group that began last combines all totals. By then, all others have begun, so it waits for totals that
// are on their way: to count work-groups as they end takes a round trip to memory more.
//
// It does not wait for ever. Totals are entries of a spine, whose words say whether they are of this run. After PATIENCE attempts
// to read them for each tile of a total, the work-group computes those that are missing itself. Either way, each thread has the same
// totals in the same order.
//
// Linked with contract.wgsl, output_items.wgsl, length_*.wgsl, result*.wgsl, look_back.wgsl, and one_tile.wgsl or
// several_tiles.wgsl, each with what it is linked with. They declare Totals, which is how a thread holds the totals that it takes, and
//   last_total      the number of the last work-group that has a tile
//   tiles_of_total  how many tiles a work-group takes at most
//   own_total       the total of a work-group
//   find_totals     the thread's totals, and whether all of them are of this run
//   no_totals       what a thread starts with that is given one total after another
//   take_total      the same with a total, if it is one of the thread's
//   combine_totals  the result, from the totals of all threads
// Each run has a counter of its own, which starts at 0, behind the spine's entries.
// Dispatch at least one work-group for each total. Those past the last tile end at once.
// Work-group memory: the algorithm's, an element and three words.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn reduce_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let number = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let length = data_length();
  let last = last_total(length);
  if (number > last) {
    return;
  }

  var begun = 0u;
  if (thread == 0u) {
    begun = atomicAdd(&spine[2u * call.spine_entries * ENTRY_WORDS + run_number()], 1u);
  }
  let own = own_total(number, thread, length);
  if (thread == 0u) {
    delay_tile(number);
    write_place(entry_of_tile(number), own, 0u, 1u);
    totals_are_due = select(0u, 1u, begun == last);
  }
  if (workgroupUniformLoad(&totals_are_due) == 0u) {
    return;
  }

  let total = combine_totals(read_totals(thread, length), thread, last);
  if (thread == 0u) {
    write_item(0u, item_from_element(result_of(total)));
  }
}

// Whether the work-group began last, whether one of its threads lacks a total, and a total that is computed anew.
var<workgroup> totals_are_due: u32;
var<workgroup> totals_missing: atomic<u32>;
var<workgroup> total_is_missing: u32;
var<workgroup> total_again: Element;

struct FoundTotals {
  is_whole: bool,
  totals: Totals,
}

// The totals that the thread takes. Call in uniform control flow.
fn read_totals(thread: u32, length: u32) -> Totals {
  let last = last_total(length);
  let attempts = PATIENCE * tiles_of_total(length);
  var found: FoundTotals;
  for (var attempt = 0u; attempt <= attempts && !found.is_whole; attempt++) {
    found = find_totals(thread, last);
  }
  if (!found.is_whole) {
    atomicStore(&totals_missing, 1u);
  }
  workgroupBarrier();
  if (thread == 0u) {
    total_is_missing = atomicLoad(&totals_missing);
  }
  var totals = found.totals;
  if (workgroupUniformLoad(&total_is_missing) != 0u) {
    totals = totals_again(thread, length);
  }
  return totals;
}

// The slow way, if a total is missing: all threads go through the totals, and compute again what is not there.
fn totals_again(thread: u32, length: u32) -> Totals {
  var totals = no_totals();
  for (var number = 0u; number <= last_total(length); number++) {
    if (thread == 0u) {
      let found = read_place(entry_of_tile(number));
      total_again = found.element;
      total_is_missing = select(1u, 0u, found.is_whole);
    }
    if (workgroupUniformLoad(&total_is_missing) != 0u) {
      let total = own_total(number, thread, length);
      if (thread == 0u) {
        total_again = total;
      }
    }
    totals = take_total(totals, number, workgroupUniformLoad(&total_again), thread);
  }
  return totals;
}
