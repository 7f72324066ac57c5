// How the threads of a tile divide its items and scan them, by subgroups. Each subgroup has a run of threads,
// which its lanes hold in order however the adapter maps lanes to local_invocation_index; and it takes the run's
// vectors in rows, one a lane, so that neighbouring lanes load and store neighbouring vectors.
// Call in uniform control flow; work_group_thread first, once, and its result as `thread` afterwards.
// Work-group memory: two elements for each MIN_SUBGROUP_SIZE threads. Of each pair of functions the second one
// reads what the first one left: nothing else of this file may be called in between, but the other pair.
// Linked after subgroup_contract.wgsl, subgroup_count.wgsl, subgroup_by_*.wgsl, and subgroup_rows.wgsl or
// subgroup_votes.wgsl.

const SUBGROUP_SLOTS = (WORK_GROUP_SIZE + MIN_SUBGROUP_SIZE - 1u) / MIN_SUBGROUP_SIZE;

var<workgroup> subgroup_totals: array<Element, SUBGROUP_SLOTS>;
var<workgroup> subgroup_windows: array<Element, SUBGROUP_SLOTS>;

// A vector of a thread's: in the order of subgroups, of rows, and of lanes.
fn vector_of(tile: u32, thread: u32, vector: u32) -> u32 {
  let first = tile * WORK_GROUP_SIZE + thread - subgroup_rank;
  return first * VECTORS + vector * subgroup_count + subgroup_rank;
}

struct TileScan {
  // What comes before the subgroup in the tile.
  before: Element,
  total: Element,
}

// The tile's total, from the combination of each vector.
fn begin_scan(sums: array<Element, VECTORS>, thread: u32) -> TileScan {
  return scan_subgroups(reduce_rows(sums));
}

// What comes before the subgroup, and the total, from the subgroup's own.
fn scan_subgroups(sum: Element) -> TileScan {
  if (subgroup_rank == 0u) {
    subgroup_totals[subgroup_number] = sum;
  }
  workgroupBarrier();
  let subgroups = number_of_subgroups();
  var before = identity();
  var total = subgroup_totals[0];
  for (var slot = 1u; slot < SUBGROUP_SLOTS; slot++) { // unroll
    if (slot < subgroups) {
      if (slot == subgroup_number) {
        before = total;
      }
      total = combine(total, subgroup_totals[slot]);
    }
  }
  return TileScan(before, total);
}

// What a row has before the lane's own element, where that is not the first, and all of it.
struct RowScan {
  exclusive: Element,
  total: Element,
}

// What comes before each vector, on top of the tile's carry.
fn finish_scan(sums: array<Element, VECTORS>, scan: TileScan, carry: Element) -> array<Element, VECTORS> {
  var own = sums;
  var before: array<Element, VECTORS>;
  var prefix = combine(carry, scan.before);
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let row = scan_row(own[vector]);
    before[vector] = prefix;
    if (subgroup_rank > 0u) {
      before[vector] = combine(prefix, row.exclusive);
    }
    prefix = combine(prefix, row.total);
  }
  return before;
}

fn reduce_rows(sums: array<Element, VECTORS>) -> Element {
  var own = sums;
  var sum = reduce_row(own[0]);
  for (var vector = 1u; vector < VECTORS; vector++) { // unroll
    sum = combine(sum, reduce_row(own[vector]));
  }
  return sum;
}

// The total alone: all threads get it.
fn reduce_vectors(sums: array<Element, VECTORS>, thread: u32) -> Element {
  return begin_scan(sums, thread).total;
}

// The total of any tile, as begin_scan has it, a row after another: slowly, so that it takes few registers.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    let row = sum_of_vector(vector_of(tile, thread, vector), length);
    sum = combine(sum, reduce_row(row));
  }
  return scan_subgroups(sum).total;
}

// The combination of one element a thread, in two steps with a barrier in between.
fn begin_window(element: Element, thread: u32) -> Element {
  let sum = subgroup_reduce(element, subgroup_rank, subgroup_count);
  if (subgroup_rank == 0u) {
    subgroup_windows[subgroup_number] = sum;
  }
  return sum;
}

fn finish_window(element: Element) -> Element {
  let subgroups = number_of_subgroups();
  var total = subgroup_windows[0];
  for (var slot = 1u; slot < WINDOW_SLOTS; slot++) { // unroll
    if (slot < subgroups) {
      total = combine(total, subgroup_windows[slot]);
    }
  }
  return total;
}

// The subgroups that hold all threads that a window reads.
const WINDOW_SLOTS = min(SUBGROUP_SLOTS, (WINDOW + MIN_SUBGROUP_SIZE - 1u) / MIN_SUBGROUP_SIZE);
