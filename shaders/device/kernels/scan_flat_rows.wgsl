// Scans rows in one dispatch, in tiles of items, wherever rows start in them. A division finds the column of a thread's first item, and
// the others follow from it. So rows take no memory that says where they start, and vectors lie as in a scan without rows.
// In long rows, most vectors and most runs contain no row's end. They take branches of their own, in which a function that looks for ends
// gets a literal that says there are none, so that the driver leaves the looking out.
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

  let values = load_values(tile, thread, length);
  let scan = scan_flat_tile(values, tile, thread);
  look_back(tile, scan.subgroups.total, thread, length);

  let before = combine(carry(), scan.subgroups.before).value;
  // The row in which the subgroup's first item lies goes up to here.
  let begin = run_begin(tile, thread);
  let open_last = begin + (params.columns - 1u - begin % params.columns);
  var elements: array<Element, ITEMS>;
  if (open_last - begin >= subgroup_count * ITEMS - 1u) {
    elements = with_open(before, scan.prefixes, tile, thread, 0xffffffffu);
  } else {
    elements = with_open(before, scan.prefixes, tile, thread, open_last);
  }
  store_prefixes(tile, thread, length, elements);
}

// The thread's prefixes. Those of items up to `last` begin with what is open before the subgroup's run.
fn with_open(
  before: SegmentValue,
  prefixes: array<SegmentValue, ITEMS>,
  tile: u32,
  thread: u32,
  last: u32,
) -> array<Element, ITEMS> {
  var own = prefixes;
  var elements: array<Element, ITEMS>;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let index = vector_of(tile, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      var prefix = own[vector * VECTOR + item];
      if (index + item <= last) {
        prefix = combine_values(before, prefix);
      }
      elements[vector * VECTOR + item] = Element(prefix, 1u);
    }
  }
  return elements;
}

fn place_of_vector(tile: u32, thread: u32, vector: u32) -> u32 {
  return vector_of(tile, thread, vector);
}

// The first item of the subgroup's run.
fn run_begin(tile: u32, thread: u32) -> u32 {
  return (vector_of(tile, thread, 0u) - subgroup_rank) * VECTOR;
}

// The total of a subgroup's run that starts at an item: what is open at its end, and whether a row ends in it.
fn run_element(value: SegmentValue, begin: u32) -> Element {
  return Element(value, select(0u, 1u, begin % params.columns + subgroup_count * ITEMS >= params.columns));
}

// What scan_flat_tile gives, which also hands on the tile's total.
struct FlatScan {
  // The prefixes of the thread's items within the subgroup's run.
  prefixes: array<SegmentValue, ITEMS>,
  subgroups: SubgroupsScan,
}

struct FlatRun {
  prefixes: array<SegmentValue, ITEMS>,
  // What is open at the end of the subgroup's run.
  open: SegmentValue,
}

// Scans the subgroup's run.
fn scan_flat_run(values: array<SegmentValue, ITEMS>, tile: u32, thread: u32) -> FlatRun {
  let step = subgroup_count * VECTOR % params.columns;
  var column = vector_of(tile, thread, 0u) * VECTOR % params.columns;
  var open = value_identity();
  var prefixes: array<SegmentValue, ITEMS>;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var items: array<SegmentValue, VECTOR>;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      items[item] = values[vector * VECTOR + item];
    }
    let ends = ends_from(column);
    let scan = scan_flat_vectors(open, items, column, ends);
    open = scan.open;
    var own: array<SegmentValue, VECTOR>;
    if (ends == 0u) {
      own = prefixes_of_vector(scan.before, items, 0u);
    } else {
      own = prefixes_of_vector(scan.before, items, ends);
    }
    for (var item = 0u; item < VECTOR; item++) { // unroll
      prefixes[vector * VECTOR + item] = own[item];
    }
    column += step;
    column = select(column, column - params.columns, column >= params.columns);
  }
  return FlatRun(prefixes, open);
}

// Combines vectors, one a lane, with what is open before them. The column of a vector's first item says how many lanes before have
// items of its row, so no lanes vote. `ends` has a bit for each item of the vector that is the last one of its row.
fn scan_flat_vectors(open: SegmentValue, items: array<SegmentValue, VECTOR>, column: u32, ends: u32) -> LanesScan {
  var tail: SegmentValue;
  if (ends == 0u) {
    tail = tail_of_vector(items, 0u);
  } else {
    tail = tail_of_vector(items, ends);
  }
  return scan_lanes(open, tail, select(column / VECTOR + 1u, 0u, ends != 0u));
}

// What a vector has behind its last end.
fn tail_of_vector(items: array<SegmentValue, VECTOR>, ends: u32) -> SegmentValue {
  var own = items;
  var tail = own[0];
  for (var item = 1u; item < VECTOR; item++) { // unroll
    if ((ends & (1u << (item - 1u))) != 0u) {
      tail = own[item];
    } else {
      tail = combine_values(tail, own[item]);
    }
  }
  if ((ends & (1u << (VECTOR - 1u))) != 0u) {
    return value_identity();
  }
  return tail;
}

// The prefixes of a vector's items, from what is open before it.
fn prefixes_of_vector(
  before: SegmentValue,
  items: array<SegmentValue, VECTOR>,
  ends: u32,
) -> array<SegmentValue, VECTOR> {
  var own = items;
  var prefix = before;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    let earlier = prefix;
    prefix = combine_values(prefix, own[item]);
    own[item] = select_prefix(Element(earlier, 1u), Element(prefix, 1u)).value;
    if ((ends & (1u << item)) != 0u) {
      prefix = value_identity();
    }
  }
  return own;
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
