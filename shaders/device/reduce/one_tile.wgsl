// Each work-group of reduce_single_pass.wgsl reduces one tile. The work-group that began last combines the totals in order, as a second
// dispatch of reduce_tiles.wgsl would: its threads take totals as load_items takes items. So there are at most TILE tiles.
// Linked with an algorithm, load_items.wgsl, an input and reduce_single_pass.wgsl, which says where to call what.
// Call in uniform control flow. Thread 0 gets what own_total and combine_totals return. Work-group memory: the algorithm's.

alias Totals = array<Element, ITEMS>;

fn last_total(length: u32) -> u32 {
  return last_tile(length);
}

fn tiles_of_total(length: u32) -> u32 {
  return 1u;
}

fn own_total(number: u32, thread: u32, length: u32) -> Element {
  return reduce_tile(load_items(number, thread, length), thread);
}

fn find_totals(thread: u32, last: u32) -> FoundTotals {
  var totals: Totals;
  var is_whole = true;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let first = vector_of(0u, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let found = read_place(entry_of_tile(min(first + item, last)));
      is_whole &= found.is_whole;
      totals[vector * VECTOR + item] = found.element;
    }
  }
  return FoundTotals(is_whole, totals);
}

fn no_totals() -> Totals {
  return Totals();
}

fn take_total(before: Totals, number: u32, total: Element, thread: u32) -> Totals {
  var totals = before;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let first = vector_of(0u, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (first + item == number) {
        totals[vector * VECTOR + item] = total;
      }
    }
  }
  return totals;
}

fn combine_totals(taken: Totals, thread: u32, last: u32) -> Element {
  var totals = taken;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let first = vector_of(0u, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (first + item > last) {
        totals[vector * VECTOR + item] = identity();
      }
    }
  }
  return reduce_tile(totals, thread);
}
