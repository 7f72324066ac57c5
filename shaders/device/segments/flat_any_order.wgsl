// The scan of a tile's segments by an operator that may have its operands in any order. The lanes combine what is open at the end of their
// subgroup's run at once, so that the tile's total is handed on before the scan.
// Linked with scan_flat_segments.wgsl. Each subgroup has MAX_SUBGROUP_SIZE lanes. Call in uniform control flow. Work-group memory: that of
// subgroup.wgsl.

fn scan_flat_tile(values: array<SegmentValue, ITEMS>, heads: u32, tile: u32, thread: u32) -> FlatScan {
  let first_head = first_head_of(heads, tile, thread);
  let open = total_from(values, tile, thread, last_head_of(heads, tile, thread));
  let subgroups = scan_subgroups(run_element(total_of_lanes(open), first_head));
  hand_on(tile, subgroups.total, thread);
  return FlatScan(scan_flat_run(values, heads).prefixes, subgroups, first_head);
}

// The index of the last item that starts a segment in the subgroup's run, or 0.
fn last_head_of(heads: u32, tile: u32, thread: u32) -> u32 {
  let item = firstLeadingBit(heads);
  let index = vector_of(tile, thread, item / VECTOR) * VECTOR + item % VECTOR;
  return ~least_of_lanes(~select(index, 0u, heads == 0u));
}

// What a thread has of the items from a first one on, combined.
fn total_from(values: array<SegmentValue, ITEMS>, tile: u32, thread: u32, first: u32) -> SegmentValue {
  var own = values;
  var total = value_identity();
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let index = vector_of(tile, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (index + item >= first) {
        total = combine_values(total, own[vector * VECTOR + item]);
      }
    }
  }
  return total;
}

// The total of any tile. It is slow, but takes few registers. All threads get it.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var heads = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) {
    heads |= heads_at(vector_of(tile, thread, vector) * VECTOR, length) << (vector * VECTOR);
  }
  let last_head = last_head_of(heads, tile, thread);
  var open = value_identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(tile, thread, vector);
    let items = load_edge(place, length);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (place * VECTOR + item >= last_head) {
        open = combine_values(open, items[item]);
      }
    }
  }
  return scan_subgroups(run_element(total_of_lanes(open), first_head_of(heads, tile, thread))).total;
}
