// A whole reduction of segments that offsets give, in one dispatch. Segment n has the items from offsets[n] up to, and not with,
// offsets[n + 1]. Tiles are of items, however long segments are. A work-group finds the first segment that ends in its tile or
// behind it, and sets a bit in work-group memory at the last item of each segment that ends in the tile. A subgroup takes its run in
// rows, of which each lane has LANE_ITEMS consecutive items. So lanes are combined once for many items, and a thread comes to the ends
// of its items one after another, and counts their places. The first segment that ends in the tile may have begun before it. If it
// began shortly before, a subgroup reads those items again, which takes less time than to wait for what the tile before hands on. If
// not, its total waits for the look-back.
//
// The elements that tiles hand on are those of segments, in element.wgsl: the value that is open at the tile's end, and whether a
// segment ends in the tile. An offset past the end of the data counts as the end. Offsets that fall may give any totals, but
// nothing is stored past the last place.
//
// Linked with contract.wgsl, element.wgsl, values.wgsl, scan_lanes.wgsl, offsets.wgsl, subgroup.wgsl, subgroup_scan_totals.wgsl,
// an input of vectors, an output of single items, length_*.wgsl, look_back.wgsl, tile_*.wgsl, and first_segment_searched.wgsl. All
// subgroups are full, with at most 32 lanes. A thread has at most 32 rows.
// Generated with it: consts LANE_STAGES, the logarithm of MAX_SUBGROUP_SIZE; LANE_ITEMS, at most 31, which VECTOR divides and which
// divides ITEMS; LANE_VECTORS, the vectors of as many items; and LANE_ROWS, the rows of a thread's items.
// Dispatch at least one work-group for each tile, and call.tiles in all.
// Work-group memory: the look-back's, the algorithm's, two words for each LANE_ITEMS items, and a value.

// All lanes of a subgroup take the same branches around exchanges, but compilers do not know that.
diagnostic(off, subgroup_uniformity);

@compute @workgroup_size(WORK_GROUP_SIZE)
fn reduce_offsets(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let tile = tile_of(work_group, thread);
  let length = data_length();
  if (tile > last_tile(length)) {
    store_empty_totals(tile, thread, length);
    return;
  }

  let values = load_values(tile, thread, length);
  let segment = first_segment_of(tile, length);
  let begin = tile * TILE;
  let start = min(offset_at(segment, length), begin);
  // The last tile of a group looks back in any case, since it hands on what comes before the next group.
  let is_near = begin - start <= MIN_SUBGROUP_SIZE * VECTOR && tile % FAN_OUT != FAN_OUT - 1u;
  if (is_near && subgroup_number == 0u) {
    let total = total_of_near(start, begin, length);
    if (subgroup_rank == 0u) {
      near_total = total;
    }
  }
  mark_ends(tile, thread, length, segment);
  workgroupBarrier();
  // What segments have in their row up to each item.
  var totals: array<SegmentValue, ITEMS>;
  var run = Element(value_identity(), 0u);
  // What comes before each row of the thread's items in the run, and a bit for each row whose first item is of the segment that is open
  // where the run starts.
  var before: array<SegmentValue, LANE_ROWS>;
  var is_open = 0u;
  for (var row = 0u; row < LANE_ROWS; row++) { // unroll
    var items: array<SegmentValue, LANE_ITEMS>;
    for (var item = 0u; item < LANE_ITEMS; item++) { // unroll
      items[item] = values[row * LANE_ITEMS + item];
    }
    let scan = scan_offsets_row(run, items, atomicLoad(&row_ends[row_of(thread, row)]) & ~HAS_EMPTY);
    for (var item = 0u; item < LANE_ITEMS; item++) { // unroll
      totals[row * LANE_ITEMS + item] = scan.totals[item];
    }
    before[row] = scan.lanes.before;
    is_open |= select(0u, 1u << row, scan.lanes.is_open);
    run = scan.lanes.run;
  }
  let tiles = scan_subgroups(run);
  hand_on(tile, tiles.total, thread);

  // The total of the segment that is open where the tile starts, if it ends in one of the thread's rows.
  var first = value_identity();
  var first_place = call.segment_count;
  for (var row = 0u; row < LANE_ROWS; row++) { // unroll
    let own_row = row_of(thread, row);
    let ends = atomicLoad(&row_ends[own_row]);
    if (ends != 0u) {
      var earlier = before[row];
      var is_first = false;
      if ((is_open & (1u << row)) != 0u) {
        earlier = combine_values(tiles.before.value, earlier);
        is_first = tiles.before.heads == 0u;
      }
      // The place is past the last one if the items are in no segment.
      var place = ~atomicLoad(&least_segments[own_row]) - 1u;
      var is_later = false;
      for (var left = ends & ~HAS_EMPTY; left != 0u; left &= left - 1u) {
        let end = firstTrailingBit(left);
        var total = totals[row * LANE_ITEMS];
        for (var item = 1u; item < LANE_ITEMS; item++) { // unroll
          if (item == end) {
            total = totals[row * LANE_ITEMS + item];
          }
        }
        total = combine_values(earlier, total);
        earlier = value_identity();
        // Empty segments may lie between the segment that ended before and this one.
        if (is_later && (ends & HAS_EMPTY) != 0u && place < call.segment_count) {
          place = place_from(place, begin + own_row * LANE_ITEMS + end + 1u, length);
        }
        if (is_first) {
          first = total;
          first_place = place;
        } else if (place < call.segment_count) {
          write_item(place, item_from_element(Element(total, 1u)));
        }
        is_first = false;
        is_later = true;
        place += 1u;
      }
    }
  }
  store_empty_totals(tile, thread, length);

  var open: SegmentValue;
  if (is_near) {
    open = near_total;
  } else {
    look_back(tile, tiles.total, thread, length);
    open = carry().value;
  }
  if (first_place < call.segment_count) {
    write_item(first_place, item_from_element(Element(combine_values(open, first), 1u)));
  }
}

// For the items of a lane in a row: a bit for each one that is the last of a segment, or that comes right before the first segment, and
// HAS_EMPTY if an empty segment lies behind one of them; and the least number of a segment that ends there, as the complement of the
// number that follows it.
const HAS_EMPTY = 0x80000000u;
var<workgroup> row_ends: array<atomic<u32>, TILE / LANE_ITEMS>;
var<workgroup> least_segments: array<atomic<u32>, TILE / LANE_ITEMS>;

// What the first segment that ends in the tile has before it, if that is near.
var<workgroup> near_total: SegmentValue;

// The items from `start` up to, and not with, `begin`, combined. There are at most as many as a subgroup's lanes have in a vector each.
// `begin` is a multiple of that.
fn total_of_near(start: u32, begin: u32, length: u32) -> SegmentValue {
  var total = value_identity();
  if (start < begin) {
    let place = begin / VECTOR - subgroup_count + subgroup_rank;
    let items = load_edge(place, length);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (place * VECTOR + item >= start) {
        total = combine_values(total, items[item]);
      }
    }
    total = scan_lanes(value_identity(), total, MAX_SUBGROUP_SIZE).open;
  }
  return total;
}

// The place of a lane's items of a row among those of the tile. A subgroup's run has its rows one after another.
fn row_of(thread: u32, row: u32) -> u32 {
  return (thread - subgroup_rank) * LANE_ROWS + row * subgroup_count + subgroup_rank;
}

// The place of one of the thread's vectors among those of the data.
fn place_of_vector(tile: u32, thread: u32, vector: u32) -> u32 {
  let row = row_of(thread, vector * VECTOR / LANE_ITEMS);
  return (tile * TILE + row * LANE_ITEMS + vector * VECTOR % LANE_ITEMS) / VECTOR;
}

struct OffsetsRowScan {
  // What segments have in the lane's items up to each one.
  totals: array<SegmentValue, LANE_ITEMS>,
  lanes: RowLanes,
}

struct RowLanes {
  // What comes before the lane's items in the run, since the last end.
  before: SegmentValue,
  // Whether no segment ends before them in the run.
  is_open: bool,
  // The run up to this row.
  run: Element,
}

// Combines a row with the rows before it in the run. `ends` has a bit for each of the lane's items that ends a segment.
fn scan_offsets_row(run: Element, items: array<SegmentValue, LANE_ITEMS>, ends: u32) -> OffsetsRowScan {
  var totals = items;
  var tail = items[0];
  for (var item = 1u; item < LANE_ITEMS; item++) { // unroll
    if ((ends & (1u << (item - 1u))) != 0u) {
      tail = totals[item];
    } else {
      tail = combine_values(tail, totals[item]);
    }
    totals[item] = tail;
  }
  if ((ends & (1u << (LANE_ITEMS - 1u))) != 0u) {
    tail = value_identity();
  }
  return OffsetsRowScan(totals, scan_row_lanes(run, tail, ends != 0u));
}

// Combines what each lane has behind its last end with the rows before in the run.
fn scan_row_lanes(run: Element, tail: SegmentValue, has_end: bool) -> RowLanes {
  let votes = subgroupBallot(has_end).x;
  // How many lanes before this one have no end, from its own on.
  let earlier = votes & ((2u << subgroup_rank) - 1u);
  let distance = select(subgroup_rank - firstLeadingBit(earlier), MAX_SUBGROUP_SIZE, earlier == 0u);
  let lanes = scan_lanes(run.value, tail, distance);
  let is_open = run.heads == 0u && (votes & ((1u << subgroup_rank) - 1u)) == 0u;
  return RowLanes(lanes.before, is_open, Element(lanes.open, select(run.heads, 1u, votes != 0u)));
}

// Marks where segments end in the tile. `first` is the first one that ends behind the tile's first item.
fn mark_ends(tile: u32, thread: u32, length: u32, first: u32) {
  let begin = tile * TILE;
  let end = min(begin + TILE, length);
  if (thread == 0u) {
    // The items before the first offset are in no segment.
    let start = offset_at(0u, length);
    if (start > begin && start <= end) {
      mark_end(start - 1u - begin, 0u);
    }
  }
  var segment = first + thread;
  while (segment < call.segment_count) {
    let start = offset_at(segment, length);
    let behind = offset_at(segment + 1u, length);
    if (start >= end) {
      break;
    }
    if (start >= behind) {
      if (start > begin) {
        atomicOr(&row_ends[(start - 1u - begin) / LANE_ITEMS], HAS_EMPTY);
      }
      // Many empty segments one after another are passed in strides that grow.
      var stride = WORK_GROUP_SIZE;
      while (segment + stride < call.segment_count && offset_at(segment + stride + 1u, length) == start) {
        segment += stride;
        stride *= 2u;
      }
    } else if (behind > begin && behind <= end) {
      mark_end(behind - 1u - begin, segment + 1u);
    }
    segment += WORK_GROUP_SIZE;
  }
}

fn mark_end(at: u32, number: u32) {
  atomicOr(&row_ends[at / LANE_ITEMS], 1u << (at % LANE_ITEMS));
  atomicMax(&least_segments[at / LANE_ITEMS], ~number);
}

// The first segment from `place` on that ends at an index or behind it: in strides that grow, then by halves.
fn place_from(place: u32, index: u32, length: u32) -> u32 {
  var low = place;
  var stride = 1u;
  while (low + stride <= call.segment_count && offset_at(low + stride, length) < index) {
    low += stride;
    stride *= 2u;
  }
  var high = min(low + stride - 1u, call.segment_count);
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (offset_at(middle + 1u, length) < index) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low;
}

// Stores the totals of a share of the segments: of those that are empty. Each work-group has as many, wherever empty ones lie.
fn store_empty_totals(tile: u32, thread: u32, length: u32) {
  if (tile < call.tiles) {
    let share = call.segment_count / call.tiles + 1u;
    let end = min((tile + 1u) * share, call.segment_count);
    for (var segment = tile * share + thread; segment < end; segment += WORK_GROUP_SIZE) {
      if (offset_at(segment, length) >= offset_at(segment + 1u, length)) {
        write_item(segment, item_from_empty());
      }
    }
  }
}

// The total of any tile, with the same bits as its owner has: only the last end in the tile counts. It is slow, but takes few
// registers. All threads get it.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  let begin = tile * TILE;
  let last = last_offset(min(begin + TILE, length), length);
  var run = Element(value_identity(), 0u);
  for (var row = 0u; row < LANE_ROWS; row++) {
    let own = begin + row_of(thread, row) * LANE_ITEMS;
    var tail = value_identity();
    for (var vector = 0u; vector < LANE_VECTORS; vector++) {
      let items = load_edge(own / VECTOR + vector, length);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        let index = own + vector * VECTOR + item;
        if (index == own || index == last) {
          tail = items[item];
        } else {
          tail = combine_values(tail, items[item]);
        }
      }
    }
    if (last == own + LANE_ITEMS) {
      tail = value_identity();
    }
    run = scan_row_lanes(run, tail, last > own && last <= own + LANE_ITEMS).run;
  }
  return scan_subgroups(run).total;
}

// The greatest offset up to an index, or 0 if there is none.
fn last_offset(index: u32, length: u32) -> u32 {
  let count = offsets_up_to(index, length);
  if (count == 0u) {
    return 0u;
  }
  return offset_at(count - 1u, length);
}
