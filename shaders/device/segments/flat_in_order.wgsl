// The scan of a tile's segments by an operator that must have its operands in order: the tile's total comes from the scan.
// Linked with scan_flat_segments.wgsl. Call in uniform control flow. Work-group memory: that of subgroup.wgsl.

fn scan_flat_tile(values: array<SegmentValue, ITEMS>, heads: u32, tile: u32, thread: u32) -> FlatScan {
  let first_head = first_head_of(heads, tile, thread);
  let run = scan_flat_run(values, heads);
  let subgroups = scan_subgroups(run_element(run.open, first_head));
  hand_on(tile, subgroups.total, thread);
  return FlatScan(run.prefixes, subgroups, first_head);
}

// The total of any tile, with the same bits as its owner has. It is slow, but takes few registers. All threads get it.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var open = value_identity();
  var heads = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(tile, thread, vector);
    let starts = heads_at(place * VECTOR, length);
    heads |= starts << (vector * VECTOR);
    open = scan_flat_vectors(open, load_edge(place, length), starts).open;
  }
  return scan_subgroups(run_element(open, first_head_of(heads, tile, thread))).total;
}
