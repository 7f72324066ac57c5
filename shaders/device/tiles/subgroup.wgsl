// How the threads of a tile divide its items and scan them, by subgroups. Each subgroup has a run of items. Its lanes hold
// the run in order, however the adapter maps lanes to local_invocation_index. The subgroup takes the run's vectors in rows,
// with one vector for each lane, so that neighbouring lanes load and store neighbouring vectors.
// Call in uniform control flow. Call work_group_thread first, and only once, and pass its result as `thread`.
// Work-group memory: an element for each MIN_SUBGROUP_SIZE threads.
// Linked with a subgroup_reduce*.wgsl and what that lists, the files that number the threads (subgroup_count.wgsl with subgroup_by_id.wgsl or
// subgroup_by_count.wgsl; or subgroup_by_lanes.wgsl), subgroup_rows.wgsl or subgroup_votes.wgsl, and one of subgroup_total.wgsl,
// subgroup_lane_totals.wgsl and subgroup_reduce_together.wgsl, if the kernel has no total_of_tile. For some operators
// subgroup_any_order.wgsl, subgroup_scan_first.wgsl, subgroup_reduce_together.wgsl, and subgroup_prefixes_together.wgsl or
// subgroup_prefixes_shifted.wgsl replace some of these functions.

var<workgroup> subgroup_totals: array<Element, SUBGROUP_SLOTS>;

// The place of a thread's vector among all vectors, which are ordered by subgroups, then by rows, and then by lanes.
fn vector_of(tile: u32, thread: u32, vector: u32) -> u32 {
  let first = tile * WORK_GROUP_SIZE + thread - subgroup_rank;
  return first * VECTORS + vector * subgroup_count + subgroup_rank;
}

struct TileScan {
  total: Element,
}

// Computes only the tile's total, since other tiles wait for it. The rest of the scan comes later.
fn begin_scan(elements: array<Element, ITEMS>, thread: u32) -> TileScan {
  return TileScan(reduce_tile(elements, thread));
}

// The part of the scan that works on the thread's items before it is known what comes before the run.
fn run_of(scan: TileScan, elements: array<Element, ITEMS>) -> array<Element, ITEMS> {
  return prefixes_of_run(elements).prefixes;
}

// What comes before the subgroup's run in the tile. The kernel combines the carry with it.
fn before_run(scan: TileScan) -> Element {
  var before = identity();
  for (var slot = 0u; slot < SUBGROUP_SLOTS; slot++) { // unroll
    if (slot < subgroup_number) {
      before = combine(before, subgroup_totals[slot]);
    }
  }
  return before;
}

// A row's elements before the lane's own, combined, and all of its elements, combined. The first lane has nothing before
// it: its `exclusive` means nothing.
struct RowScan {
  exclusive: Element,
  total: Element,
}

// The prefixes of the thread's items within the subgroup's run, and the run's total.
struct RunScan {
  prefixes: array<Element, ITEMS>,
  total: Element,
}

fn prefixes_of_run(elements: array<Element, ITEMS>) -> RunScan {
  var own = elements;
  var before = identity();
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var sum = own[vector * VECTOR];
    for (var item = 1u; item < VECTOR; item++) { // unroll
      sum = combine(sum, own[vector * VECTOR + item]);
    }
    let row = scan_row(sum);
    var prefix = before;
    if (subgroup_rank > 0u) {
      prefix = combine(before, row.exclusive);
    }
    before = combine(before, row.total);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let earlier = prefix;
      prefix = combine(prefix, own[vector * VECTOR + item]);
      own[vector * VECTOR + item] = select_prefix(earlier, prefix);
    }
  }
  return RunScan(own, before);
}

// The prefixes of the thread's items within the tile, from those within the run and what comes before the run.
fn finish_run(prefixes: array<Element, ITEMS>, before: Element) -> array<Element, ITEMS> {
  var own = prefixes;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    own[item] = combine(before, own[item]);
  }
  return own;
}

// The tile's total without a scan. All threads get it.
fn reduce_tile(elements: array<Element, ITEMS>, thread: u32) -> Element {
  var own = elements;
  var total = identity();
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var sum = own[vector * VECTOR];
    for (var item = 1u; item < VECTOR; item++) { // unroll
      sum = combine(sum, own[vector * VECTOR + item]);
    }
    total = with_row(total, sum);
  }
  return reduce_subgroups(total_of_rows(total));
}

// Combines a total with another row, whose elements the lanes combine. After the last row, total_of_rows gives the
// subgroup's total.
fn with_row(total: Element, element: Element) -> Element {
  return combine(total, reduce_row(element));
}

fn total_of_rows(total: Element) -> Element {
  return total;
}

// The tile's total, from the subgroups' totals. If every subgroup is full, its lanes combine as many totals at once as the
// smallest subgroup has lanes. If a subgroup may lack lanes, each thread combines all totals by itself, since a subgroup of
// one lane would see only one total of each step.
fn reduce_subgroups(sum: Element) -> Element {
  if (subgroup_rank == 0u) {
    subgroup_totals[subgroup_number] = sum;
  }
  workgroupBarrier();
  let subgroups = number_of_subgroups();
  var total = identity();
  if (WORK_GROUP_SIZE % MAX_SUBGROUP_SIZE != 0u) {
    for (var slot = 0u; slot < subgroups; slot++) {
      total = combine(total, subgroup_totals[slot]);
    }
    return total;
  }
  for (var first = 0u; first < SUBGROUP_SLOTS; first += MIN_SUBGROUP_SIZE) {
    let slot = first + subgroup_rank;
    var element = identity();
    if (subgroup_rank < MIN_SUBGROUP_SIZE && slot < subgroups) {
      element = subgroup_totals[slot];
    }
    total = combine(total, subgroup_reduce(element, subgroup_rank, subgroup_count));
  }
  return total;
}
