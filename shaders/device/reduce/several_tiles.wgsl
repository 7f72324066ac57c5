// Each work-group of reduce_single_pass.wgsl takes every call.tiles-th tile, for an operator that may combine in any order. Each thread
// combines its items of all of these tiles, and then the threads combine their results once. So do those of the work-group that began last:
// each combines every WORK_GROUP_SIZE-th total.
// Linked with subgroup_any_order.wgsl, load_items.wgsl, an input and reduce_single_pass.wgsl, which says where to call what.
// Call in uniform control flow. All threads get what own_total and combine_totals return. Work-group memory: the algorithm's.

alias Totals = Element;

fn last_total(length: u32) -> u32 {
  return min(last_tile(length), call.tiles - 1u);
}

fn tiles_of_total(length: u32) -> u32 {
  return 1u + last_tile(length) / call.tiles;
}

fn own_total(number: u32, thread: u32, length: u32) -> Element {
  var total = identity();
  for (var tile = number; tile <= last_tile(length); tile += call.tiles) {
    total = with_items(total, load_items(tile, thread, length));
  }
  return reduce_threads(total);
}

// As many totals as a vector has items are read at the same time.
fn find_totals(thread: u32, last: u32) -> FoundTotals {
  var total = identity();
  var is_whole = true;
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
  return FoundTotals(is_whole, total);
}

fn no_totals() -> Totals {
  return identity();
}

fn take_total(before: Totals, number: u32, total: Element, thread: u32) -> Totals {
  if (thread == number % WORK_GROUP_SIZE) {
    return combine(before, total);
  }
  return before;
}

fn combine_totals(taken: Totals, thread: u32, last: u32) -> Element {
  return reduce_threads(taken);
}
