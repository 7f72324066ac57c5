// Scans rows in one dispatch, in tiles of items, wherever rows start in them. A division finds the column of a thread's first item, and
// the others follow from it. So rows take no memory that says where they start, and vectors lie as in a scan without rows.
// Most vectors and most runs of long rows contain no row's end. They take branches of their own, in which no end is looked for.
//
// The elements that tiles hand on are those of segments, in element.wgsl: the value that is open at the tile's end, and whether a row
// ends in the tile.
//
// Linked with contract.wgsl, element.wgsl, values.wgsl, scan_lanes.wgsl, subgroup.wgsl, subgroup_scan_totals.wgsl, load_items.wgsl,
// store_prefixes.wgsl, rows/flat_in_order.wgsl or rows/flat_any_order.wgsl, an input and an output of vectors, length_*.wgsl, look_back.wgsl
// and tile_*.wgsl. The output must not overlap the input. Generated with it: LANE_STAGES, the logarithm of MAX_SUBGROUP_SIZE.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// All subgroups are full, with at most 32 lanes. Work-group memory: the algorithm's, and the look-back's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_flat_rows(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let tile = tile_of(work_group, thread);
  let length = data_length();
  if (tile > last_tile(length)) {
    return;
  }

  var own = load_values(tile, thread, length);
  let subgroups = scan_flat_tile(&own, tile, thread);
  look_back(tile, subgroups.total, thread, length);

  let before = combine(carry(), subgroups.before).value;
  // The row in which the subgroup's first item lies goes up to here. Only its items begin with what is open before the run.
  let begin = run_begin(tile, thread);
  let open_last = begin + (params.columns - 1u - begin % params.columns);
  if (open_last - begin >= subgroup_count * ITEMS - 1u) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      own[item] = combine_values(before, own[item]);
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let index = vector_of(tile, thread, vector) * VECTOR;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        if (index + item <= open_last) {
          own[vector * VECTOR + item] = combine_values(before, own[vector * VECTOR + item]);
        }
      }
    }
  }
  var elements: array<Element, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    elements[item] = Element(own[item], 1u);
  }
  store_prefixes(tile, thread, length, elements);
}

// The first item of the subgroup's run.
fn run_begin(tile: u32, thread: u32) -> u32 {
  return (vector_of(tile, thread, 0u) - subgroup_rank) * VECTOR;
}

// The total of a subgroup's run that starts at an item: what is open at its end, and whether a row ends in it.
fn run_element(value: SegmentValue, begin: u32) -> Element {
  return Element(value, select(0u, 1u, begin % params.columns + subgroup_count * ITEMS >= params.columns));
}

// Replaces the thread's values by their prefixes within the subgroup's run, and returns what is open at the run's end.
fn scan_flat_run(own: ptr<function, array<SegmentValue, ITEMS>>, tile: u32, thread: u32) -> SegmentValue {
  let step = subgroup_count * VECTOR % params.columns;
  var column = vector_of(tile, thread, 0u) * VECTOR % params.columns;
  var open = value_identity();
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    open = scan_flat_vectors(own, vector, open, column);
    column += step;
    column = select(column, column - params.columns, column >= params.columns);
  }
  return open;
}

// Replaces vectors, one a lane, by their prefixes from what is open before them, and returns what is open behind them. The column of a
// vector's first item says how many lanes before have items of its row, so no lanes vote.
fn scan_flat_vectors(
  own: ptr<function, array<SegmentValue, ITEMS>>,
  vector: u32,
  open: SegmentValue,
  column: u32,
) -> SegmentValue {
  let ends = ends_from(column);
  // What the vector has behind its last end.
  var tail = (*own)[vector * VECTOR];
  if (ends == 0u) {
    for (var item = 1u; item < VECTOR; item++) { // unroll
      tail = combine_values(tail, (*own)[vector * VECTOR + item]);
    }
  } else {
    for (var item = 1u; item < VECTOR; item++) { // unroll
      if ((ends & (1u << (item - 1u))) != 0u) {
        tail = (*own)[vector * VECTOR + item];
      } else {
        tail = combine_values(tail, (*own)[vector * VECTOR + item]);
      }
    }
    if ((ends & (1u << (VECTOR - 1u))) != 0u) {
      tail = value_identity();
    }
  }
  let lanes = scan_lanes(open, tail, select(column / VECTOR + 1u, 0u, ends != 0u));
  var prefix = lanes.before;
  if (ends == 0u) {
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let earlier = prefix;
      prefix = combine_values(prefix, (*own)[vector * VECTOR + item]);
      (*own)[vector * VECTOR + item] = select_prefix(Element(earlier, 1u), Element(prefix, 1u)).value;
    }
  } else {
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let earlier = prefix;
      prefix = combine_values(prefix, (*own)[vector * VECTOR + item]);
      (*own)[vector * VECTOR + item] = select_prefix(Element(earlier, 1u), Element(prefix, 1u)).value;
      if ((ends & (1u << item)) != 0u) {
        prefix = value_identity();
      }
    }
  }
  return lanes.open;
}

// A bit for each item of a vector that is the last one of its row, from the column of the vector's first item.
fn ends_from(column: u32) -> u32 {
  if (params.columns >= VECTOR) {
    let last = params.columns - 1u - column;
    return select(0u, 1u << (last % 32u), last < VECTOR);
  }
  var ends = 0u;
  var next = column;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    next += 1u;
    if (next == params.columns) {
      ends |= 1u << item;
      next = 0u;
    }
  }
  return ends;
}
