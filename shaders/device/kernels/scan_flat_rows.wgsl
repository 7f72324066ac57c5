// Scans rows in one dispatch, in tiles of items, wherever rows start in them. A division finds the column of a thread's first item, and
// the others follow from it. So rows take no memory that says where they start, and vectors lie as in a scan without rows.
//
// The elements that tiles hand on are those of segments, in element.wgsl: the value that is open at the tile's end, and whether a row
// ends in the tile.
//
// Linked with contract.wgsl, element.wgsl, values.wgsl, subgroup.wgsl, subgroup_scan_totals.wgsl, load_items.wgsl, store_prefixes.wgsl, an
// input and an output of vectors, length_*.wgsl, look_back.wgsl and tile_*.wgsl. The output must not overlap the input.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// Work-group memory: the algorithm's, and the look-back's.
// replaces: total_of_tile

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

  let values = load_values(tile, thread, length);
  // The row in which the subgroup's first item lies goes up to here.
  let first = vector_of(tile, thread, 0u) * VECTOR;
  let begin = first - subgroup_rank * VECTOR;
  let open_end = begin + params.columns - begin % params.columns;
  let step = subgroup_count * VECTOR % params.columns;
  var column = first % params.columns;
  var run = Element(value_identity(), 0u);
  var prefixes: array<SegmentValue, ITEMS>;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var items: array<SegmentValue, VECTOR>;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      items[item] = values[vector * VECTOR + item];
    }
    let ends = ends_from(column);
    let scan = scan_vectors(run, items, ends);
    run = scan.run;
    var prefix = scan.before;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let earlier = prefix;
      prefix = combine_values(prefix, items[item]);
      prefixes[vector * VECTOR + item] = select_prefix(Element(earlier, 1u), Element(prefix, 1u)).value;
      if ((ends & (1u << item)) != 0u) {
        prefix = value_identity();
      }
    }
    column += step;
    column = select(column, column - params.columns, column >= params.columns);
  }
  let tiles = scan_subgroups(run);
  hand_on(tile, tiles.total, thread);
  look_back(tile, tiles.total, thread, length);

  let before = combine(carry(), tiles.before).value;
  var elements: array<Element, ITEMS>;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let index = vector_of(tile, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      var prefix = prefixes[vector * VECTOR + item];
      if (index + item < open_end) {
        prefix = combine_values(before, prefix);
      }
      elements[vector * VECTOR + item] = Element(prefix, 1u);
    }
  }
  store_prefixes(tile, thread, length, elements);
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

// The total of any tile, with the same bits as its owner has. It is slow, but takes few registers. All threads get it.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  workgroupBarrier();
  var run = Element(value_identity(), 0u);
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(tile, thread, vector);
    run = scan_vectors(run, load_edge(place, length), ends_from(place * VECTOR % params.columns)).run;
  }
  return scan_subgroups(run).total;
}
