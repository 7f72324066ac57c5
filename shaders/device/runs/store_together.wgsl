// Stores runs side by side: those of a few rows go to work-group memory first, and from there each lane stores whole ones.
// Linked with run_lengths.wgsl. Call in uniform control flow.
// Work-group memory: a key and a word for each item of STAGED_ROWS rows of each subgroup.
// replaces: store_runs

// The runs that start in a few rows of a subgroup, side by side: the key of each, and one more than the index of its first item.
var<workgroup> run_keys: array<Key, SUBGROUP_SLOTS * STAGED_ROWS * MAX_SUBGROUP_SIZE>;
var<workgroup> run_firsts: array<u32, SUBGROUP_SLOTS * STAGED_ROWS * MAX_SUBGROUP_SIZE>;

// `before` has the runs that start before the subgroup's rows. Call in uniform control flow.
fn store_runs(tile: u32, thread: u32, keys: array<Key, ITEMS>, before: Element) {
  var own = keys;
  let staged = subgroup_number * STAGED_ROWS * MAX_SUBGROUP_SIZE;
  var begin = identity();
  for (var row = 0u; row < VECTORS; row++) { // unroll
    let found = run_rows[subgroup_number * VECTORS + row];
    if (row % STAGED_ROWS == 0u) {
      begin = found.yz;
    }
    let at = staged + found.y - begin.x + countOneBits(found.x & ((1u << subgroup_lane) - 1u));
    if (((found.x >> subgroup_lane) & 1u) != 0u) {
      run_keys[at] = own[row];
      run_firsts[at] = vector_of(tile, thread, row) + 1u;
    }
    if (row % STAGED_ROWS == STAGED_ROWS - 1u || row + 1u == VECTORS) {
      workgroupBarrier();
      store_staged(staged, found.y + countOneBits(found.x) - begin.x, combine(before, begin));
      workgroupBarrier();
    }
  }
}

fn store_staged(staged: u32, number: u32, before: Element) {
  for (var at = subgroup_rank; at < number; at += subgroup_count) {
    let first = run_firsts[staged + at];
    var last = before.y;
    if (at > 0u) {
      last = run_firsts[staged + at - 1u];
    }
    let place = before.x + at;
    store_run(place, first - 1u, run_keys[staged + at]);
    store_start(place, first - 1u);
    if (place > 0u) {
      store_length(place - 1u, first - last);
    }
  }
}
