// Scans segments in one dispatch, in tiles of items. A thread holds a value for each item, and a bit that says whether a segment starts
// there. So it holds half of what elements of segments take, and the lanes of a subgroup vote where segments start.
//
// The elements that tiles hand on are those of segments, in element.wgsl: the value that is open at the tile's end, and whether a segment
// starts in the tile.
//
// Linked with contract.wgsl, element.wgsl, values.wgsl, scan_lanes.wgsl, subgroup.wgsl, subgroup_scan_totals.wgsl, store_prefixes.wgsl,
// flat_in_order.wgsl or flat_any_order.wgsl, flat_rows.wgsl, flat_head_bits.wgsl or flat_heads.wgsl, an input and an output of vectors,
// length_*.wgsl, look_back.wgsl and tile_*.wgsl. The output must not overlap the input. Generated with it: LANE_STAGES, the logarithm of
// MAX_SUBGROUP_SIZE.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// All subgroups are full, with at most 32 lanes. A thread has at most 32 items. Work-group memory: the algorithm's, and the look-back's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_flat_segments(
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
  let heads = heads_of_thread(tile, thread, length);
  let scan = scan_flat_tile(values, heads, tile, thread);
  look_back(tile, scan.subgroups.total, thread, length);

  let before = combine(carry(), scan.subgroups.before).value;
  store_prefixes(tile, thread, length, with_open(before, scan.prefixes, tile, thread, scan.first_head));
  // The first thread of the last tile stores the total of all tiles.
  if (tile == last_tile(length) && thread == 0u) {
    store_total(combine(carry(), scan.subgroups.total));
  }
}

// The place of one of the thread's vectors among those of the data.
fn place_of_vector(tile: u32, thread: u32, vector: u32) -> u32 {
  return vector_of(tile, thread, vector);
}

// The thread's prefixes. Those of items before the subgroup's first head begin with what is open before the subgroup's run.
fn with_open(
  before: SegmentValue,
  prefixes: array<SegmentValue, ITEMS>,
  tile: u32,
  thread: u32,
  first_head: u32,
) -> array<Element, ITEMS> {
  var own = prefixes;
  var elements: array<Element, ITEMS>;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let index = vector_of(tile, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      var prefix = own[vector * VECTOR + item];
      if (index + item < first_head) {
        prefix = combine_values(before, prefix);
      }
      elements[vector * VECTOR + item] = Element(prefix, 1u);
    }
  }
  return elements;
}

// The index of a head, where a subgroup's run has none.
const NO_HEAD = 0xffffffffu;

// The index of the first item that starts a segment in the subgroup's run. `heads` has a bit for each of the thread's items.
fn first_head_of(heads: u32, tile: u32, thread: u32) -> u32 {
  let item = firstTrailingBit(heads);
  let index = vector_of(tile, thread, item / VECTOR) * VECTOR + item % VECTOR;
  return least_of_lanes(select(index, NO_HEAD, heads == 0u));
}

// The least of what the lanes of a subgroup have. It takes no built-in, since a kernel calls this at several places.
fn least_of_lanes(own: u32) -> u32 {
  var least = own;
  for (var stage = 0u; stage < LANE_STAGES; stage++) { // unroll
    let other = subgroupShuffleXor(least, 1u << stage);
    least = select(least, min(least, other), (1u << stage) < subgroup_count);
  }
  return least;
}

// The total of a subgroup's run: what is open at its end, and whether a segment starts in it.
fn run_element(value: SegmentValue, first_head: u32) -> Element {
  return Element(value, select(1u, 0u, first_head == NO_HEAD));
}

// What scan_flat_tile gives, which also hands on the tile's total.
struct FlatScan {
  // The prefixes of the thread's items within the subgroup's run.
  prefixes: array<SegmentValue, ITEMS>,
  subgroups: SubgroupsScan,
  first_head: u32,
}

struct FlatRun {
  prefixes: array<SegmentValue, ITEMS>,
  // What is open at the end of the subgroup's run.
  open: SegmentValue,
}

// Scans the subgroup's run.
fn scan_flat_run(values: array<SegmentValue, ITEMS>, heads: u32) -> FlatRun {
  var open = value_identity();
  var prefixes: array<SegmentValue, ITEMS>;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var items: array<SegmentValue, VECTOR>;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      items[item] = values[vector * VECTOR + item];
    }
    let starts = heads_of(heads, vector);
    let scan = scan_flat_vectors(open, items, starts);
    open = scan.open;
    var own = prefixes_of_vector(scan.before, items, starts);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      prefixes[vector * VECTOR + item] = own[item];
    }
  }
  return FlatRun(prefixes, open);
}

// The bits of a vector, from those of the thread's items.
fn heads_of(heads: u32, vector: u32) -> u32 {
  return (heads >> (vector * VECTOR)) & ((1u << VECTOR) - 1u);
}

// Combines vectors, one a lane, with what is open before them. `heads` has a bit for each item of the vector that starts a segment.
fn scan_flat_vectors(open: SegmentValue, items: array<SegmentValue, VECTOR>, heads: u32) -> LanesScan {
  let votes = subgroupBallot(heads != 0u).x;
  // How many lanes before this one have no head, from its own on.
  let earlier = votes & ((2u << subgroup_lane) - 1u);
  let distance = select(subgroup_lane - firstLeadingBit(earlier), MAX_SUBGROUP_SIZE, earlier == 0u);
  return scan_lanes(open, tail_of_vector(items, heads), distance);
}

// What a vector has from its last head on.
fn tail_of_vector(items: array<SegmentValue, VECTOR>, heads: u32) -> SegmentValue {
  var own = items;
  var tail = own[0];
  for (var item = 1u; item < VECTOR; item++) { // unroll
    if ((heads & (1u << item)) != 0u) {
      tail = own[item];
    } else {
      tail = combine_values(tail, own[item]);
    }
  }
  return tail;
}

// The prefixes of a vector's items, from what is open before it.
fn prefixes_of_vector(
  before: SegmentValue,
  items: array<SegmentValue, VECTOR>,
  heads: u32,
) -> array<SegmentValue, VECTOR> {
  var own = items;
  var prefix = before;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    var earlier = prefix;
    if ((heads & (1u << item)) != 0u) {
      earlier = value_identity();
      prefix = own[item];
    } else {
      prefix = combine_values(prefix, own[item]);
    }
    own[item] = select_prefix(Element(earlier, 1u), Element(prefix, 1u)).value;
  }
  return own;
}
