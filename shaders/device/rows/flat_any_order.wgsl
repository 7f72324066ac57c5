// The scan of a tile's rows by an operator that may have its operands in any order. The lanes combine what is open at the end of their
// subgroup's run at once, so that the tile's total is handed on before the scan.
// Linked with scan_flat_rows.wgsl. Each subgroup has MAX_SUBGROUP_SIZE lanes. Call in uniform control flow. Work-group memory: that of subgroup.wgsl.
// replaces: total_of_tile

fn scan_flat_tile(own: ptr<function, array<SegmentValue, ITEMS>>, tile: u32, thread: u32) -> SubgroupsScan {
  let begin = run_begin(tile, thread);
  let open_begin = open_begin_of(begin);
  var open = value_identity();
  if (open_begin == begin) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      open = combine_values(open, (*own)[item]);
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let index = vector_of(tile, thread, vector) * VECTOR;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        if (index + item >= open_begin) {
          open = combine_values(open, (*own)[vector * VECTOR + item]);
        }
      }
    }
  }
  let subgroups = scan_subgroups(run_element(total_of_lanes(open), begin));
  hand_on(tile, subgroups.total, thread);
  _ = scan_flat_run(own, tile, thread);
  return subgroups;
}

// The first item of the row that is open at the end of a subgroup's run, or of the run.
fn open_begin_of(begin: u32) -> u32 {
  let end = begin + subgroup_count * ITEMS;
  return max(begin, end - end % params.columns);
}

// The total of any tile. The operands come in the same order as its owner has them, so floats have the same bits. It is slow, but takes
// few registers. All threads get it.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  let open_begin = open_begin_of(run_begin(tile, thread));
  var open = value_identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(tile, thread, vector);
    let items = load_edge(place, length);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (place * VECTOR + item >= open_begin) {
        open = combine_values(open, items[item]);
      }
    }
  }
  return scan_subgroups(run_element(total_of_lanes(open), run_begin(tile, thread))).total;
}
