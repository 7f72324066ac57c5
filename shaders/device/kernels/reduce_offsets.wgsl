// A whole reduction of segments that offsets give, in one dispatch. Segment n has the items from offsets[n] up to, and not with,
// offsets[n + 1]. Tiles are of items, however long segments are. A work-group finds the first segment that ends in its tile or
// behind it. It loads the tile's values into work-group memory, and sets a bit at the last item of each segment that ends in the
// tile. Then each thread goes through consecutive items, one after another, and leaves the total of a segment where it ends. So short
// segments cost no more than long ones. Neighbouring threads store the totals of neighbouring segments. The first of them may have
// begun before the tile, so its total waits for the look-back.
//
// The elements that tiles hand on are those of segments, in element.wgsl: the value that is open at the tile's end, and whether a
// segment ends in the tile. An offset past the end of the data counts as the end. Offsets that fall may give any totals, but
// nothing is stored past the last place.
//
// Linked with contract.wgsl, element.wgsl, values.wgsl, subgroup.wgsl, subgroup_scan_totals.wgsl, load_items.wgsl, an input of vectors,
// an output of single items, length_*.wgsl, look_back.wgsl, tile_*.wgsl, and
// first_segment_searched.wgsl or first_segment_stored.wgsl. All subgroups are full, with at most 32 lanes. A thread has at
// most 32 items.
// Generated with it: consts STAGED_ITEMS, the places of a thread's items in work-group memory, and STAGED, those of a tile's.
// Dispatch at least one work-group for each tile, and params.tiles in all.
// Work-group memory: the look-back's, the algorithm's, STAGED values, a word for each thread, and one more.
// replaces: total_of_tile

@group(0) @binding(16) var<storage, read> offsets: array<u32>;

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

  stage_values(tile, thread, length);
  let first_segment = first_segment_of(tile, length);
  mark_start(tile, thread, length);
  visit_segments(tile, first_segment, thread, length, true);
  workgroupBarrier();
  let ends = atomicLoad(&ends_of_threads[thread]);
  let votes = subgroupBallot(ends != 0u).x;
  // What the thread's items have behind the last end so far.
  var tail = value_identity();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = thread * STAGED_ITEMS + item;
    tail = combine_values(tail, staged_values[place]);
    if ((ends & (1u << item)) != 0u) {
      staged_values[place] = tail;
      tail = value_identity();
    }
  }
  let lanes = scan_lanes(Element(value_identity(), 0u), tail, votes);
  let tiles = scan_subgroups(lanes.run);
  hand_on(tile, tiles.total, thread);

  if (ends != 0u) {
    let at = thread * ITEMS + firstTrailingBit(ends);
    let place = place_of_item(at);
    var before = lanes.before;
    if (lanes.is_open) {
      before = combine_values(tiles.before.value, before);
      if (tiles.before.heads == 0u) {
        behind_first_end = at + 1u;
      }
    }
    staged_values[place] = combine_values(before, staged_values[place]);
  }
  workgroupBarrier();
  let first_place = visit_segments(tile, first_segment, thread, length, false);
  store_empty_totals(tile, thread, length);

  look_back(tile, tiles.total, thread, length);
  if (first_place < params.segment_count) {
    let total = combine_values(carry().value, staged_values[place_of_item(behind_first_end - 1u)]);
    write_item(first_place, item_from_element(Element(total, 1u)));
  }
}

// The values of the tile's items, and at each item that ends a segment, what that segment has in the tile. A thread has a word for
// the ends among its consecutive items. Behind the first end of the tile is an item of this index. It is 0 if there is no end.
var<workgroup> staged_values: array<SegmentValue, STAGED>;
var<workgroup> ends_of_threads: array<atomic<u32>, WORK_GROUP_SIZE>;
var<workgroup> behind_first_end: u32;

// Where an item of the tile is staged. A thread's items are followed by a gap where one is needed so that lanes hit different banks.
fn place_of_item(at: u32) -> u32 {
  return at + at / ITEMS * (STAGED_ITEMS - ITEMS);
}

// Loads vectors as neighbouring lanes take them, and stages their values.
fn stage_values(tile: u32, thread: u32, length: u32) {
  let values = load_values(tile, thread, length);
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let place = place_of_item(vector_of(0u, thread, vector) * VECTOR);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      staged_values[place + item] = values[vector * VECTOR + item];
    }
  }
}

fn offset_at(segment: u32, length: u32) -> u32 {
  return min(offsets[params.offsets_base + segment], length);
}

// Goes through the segments from the first one that ends in the tile or behind it, and marks where they end in the tile, or stores
// what they have there. The total of the first end in the tile waits for the look-back. The thread that comes to it gets its place, and
// others get params.segment_count.
fn visit_segments(tile: u32, first: u32, thread: u32, length: u32, marks: bool) -> u32 {
  let begin = tile * TILE;
  let end = min(begin + TILE, length);
  var first_place = params.segment_count;
  var segment = first + thread;
  while (segment < params.segment_count) {
    let start = offset_at(segment, length);
    let behind = offset_at(segment + 1u, length);
    if (start >= end) {
      break;
    }
    if (start >= behind) {
      // Many empty segments one after another are passed in strides that grow.
      var stride = WORK_GROUP_SIZE;
      while (segment + stride < params.segment_count && offset_at(segment + stride + 1u, length) == start) {
        segment += stride;
        stride *= 2u;
      }
    } else if (behind > begin && behind <= end) {
      if (marks) {
        mark_end(behind - 1u - begin);
      } else if (behind - begin == behind_first_end) {
        first_place = segment;
      } else {
        write_item(segment, item_from_element(Element(staged_values[place_of_item(behind - 1u - begin)], 1u)));
      }
    }
    segment += WORK_GROUP_SIZE;
  }
  return first_place;
}

// The items before the first offset are in no segment.
fn mark_start(tile: u32, thread: u32, length: u32) {
  if (thread == 0u) {
    let start = offset_at(0u, length);
    if (start > tile * TILE && start <= (tile + 1u) * TILE) {
      mark_end(start - 1u - tile * TILE);
    }
  }
}

fn mark_end(at: u32) {
  atomicOr(&ends_of_threads[at / ITEMS], 1u << (at % ITEMS));
}

// Stores the totals of a share of the segments: of those that are empty. Each work-group has as many, wherever empty ones lie.
fn store_empty_totals(tile: u32, thread: u32, length: u32) {
  if (tile < params.tiles) {
    let share = params.segment_count / params.tiles + 1u;
    let end = min((tile + 1u) * share, params.segment_count);
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
  workgroupBarrier();
  let begin = tile * TILE;
  let last = last_offset(min(begin + TILE, length), length);
  let own = begin + thread * ITEMS;
  var ends = 0u;
  if (last > own && last <= own + ITEMS) {
    ends = 1u << (last - own - 1u);
  }
  let votes = subgroupBallot(ends != 0u).x;
  var tail = value_identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    let items = load_edge(own / VECTOR + vector, length);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      tail = combine_values(tail, items[item]);
      if ((ends & (1u << (vector * VECTOR + item))) != 0u) {
        tail = value_identity();
      }
    }
  }
  return scan_subgroups(scan_lanes(Element(value_identity(), 0u), tail, votes).run).total;
}

// The greatest offset up to an index, or 0 if there is none.
fn last_offset(index: u32, length: u32) -> u32 {
  var low = 0u;
  var high = params.segment_count + 1u;
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (offset_at(middle, length) <= index) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  if (low == 0u) {
    return 0u;
  }
  return offset_at(low - 1u, length);
}
