// The scan of a tile's rows by an operator that must have its operands in order: the tile's total comes from the scan.
// Linked with scan_flat_rows.wgsl. Call in uniform control flow. Work-group memory: that of subgroup.wgsl.
// replaces: total_of_tile

fn scan_flat_tile(own: ptr<function, array<SegmentValue, ITEMS>>, tile: u32, thread: u32) -> SubgroupsScan {
  let open = scan_flat_run(own, tile, thread);
  let subgroups = scan_subgroups(run_element(open, run_begin(tile, thread)));
  hand_on(tile, subgroups.total, thread);
  return subgroups;
}

// The total of any tile, with the same bits as its owner has. It is slow, but takes few registers. All threads get it.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var open = value_identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(tile, thread, vector);
    let items = load_edge(place, length);
    var own: array<SegmentValue, ITEMS>;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      own[item] = items[item];
    }
    open = scan_flat_vectors(&own, 0u, open, place * VECTOR % params.columns);
  }
  return scan_subgroups(run_element(open, run_begin(tile, thread))).total;
}
