// A whole reduction of segments that offsets give, in one dispatch. Segment n has the items from offsets[n] up to, and not with,
// offsets[n + 1]. Tiles are of items, however long segments are. A work-group finds the first segment that ends in its tile or
// behind it, and sets a bit in work-group memory at the last item of each segment that ends in the tile. It stores the totals of
// these segments. The first of them may have begun before the tile, so its total waits for the look-back.
//
// The elements that tiles hand on are those of segments, in element.wgsl: the value that is open at the tile's end, and whether a
// segment ends in the tile. An offset past the end of the data counts as the end. Offsets that fall may give any totals, but
// nothing is stored past the last place.
//
// Linked with contract.wgsl, element.wgsl, values.wgsl, subgroup.wgsl, subgroup_scan_totals.wgsl, load_items.wgsl, an input of vectors,
// an output of single items, length_*.wgsl, look_back.wgsl, tile_*.wgsl, and
// first_segment_searched.wgsl or first_segment_stored.wgsl. All subgroups are full, with at most 32 lanes. A thread has at
// most 32 vectors.
// Generated with it: a const END_WORDS, the words with a bit for each item of a tile.
// Dispatch at least one work-group for each tile, and params.tiles in all.
// Work-group memory: the look-back's, the algorithm's, and three words for each 32 items.
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

  var values = load_values(tile, thread, length);
  mark_ends(tile, thread, length);
  workgroupBarrier();
  var run = Element(value_identity(), 0u);
  // What comes before each vector in the run, and a bit for each vector whose first item is of the segment that is open where the
  // run starts.
  var before: array<SegmentValue, VECTORS>;
  var is_open = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var items: array<SegmentValue, VECTOR>;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      items[item] = values[vector * VECTOR + item];
    }
    let scan = scan_vectors(run, items, ends_of_vector(vector_of(0u, thread, vector) * VECTOR));
    before[vector] = scan.before;
    is_open |= select(0u, 1u << vector, scan.is_open);
    run = scan.run;
  }
  let tiles = scan_subgroups(run);
  hand_on(tile, tiles.total, thread);

  // The total of the segment that is open where the tile starts, if it ends in one of the thread's vectors.
  var first = value_identity();
  var first_place = params.segment_count;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let at = vector_of(0u, thread, vector) * VECTOR;
    let ends = ends_of_vector(at);
    if (ends != 0u) {
      var total = before[vector];
      var is_first = false;
      if ((is_open & (1u << vector)) != 0u) {
        total = combine_values(tiles.before.value, total);
        is_first = tiles.before.heads == 0u;
      }
      // What a segment has at each item, if it ends there.
      var totals: array<SegmentValue, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        total = combine_values(total, values[vector * VECTOR + item]);
        totals[item] = total;
        if ((ends & (1u << item)) != 0u) {
          total = value_identity();
        }
      }
      for (var left = ends; left != 0u; left &= left - 1u) {
        let item = firstTrailingBit(left);
        total = totals[0];
        for (var other = 1u; other < VECTOR; other++) { // unroll
          if (other == item) {
            total = totals[other];
          }
        }
        let place = place_of_end(at + item, tile * TILE, length);
        if (is_first) {
          first = total;
          first_place = place;
        } else if (place < params.segment_count) {
          write_item(place, item_from_element(Element(total, 1u)));
        }
        is_first = false;
      }
    }
  }
  store_empty_totals(tile, thread, length);

  look_back(tile, tiles.total, thread, length);
  if (first_place < params.segment_count) {
    write_item(first_place, item_from_element(Element(combine_values(carry().value, first), 1u)));
  }
}

// For each 32 items of the tile: a bit for each one that is the last of a segment, or that comes right before the first segment;
// the least number of a segment that ends there, as the complement of the number that follows it; and whether an empty segment
// lies behind one of them.
var<workgroup> segment_ends: array<atomic<u32>, END_WORDS>;
var<workgroup> least_segments: array<atomic<u32>, END_WORDS>;
var<workgroup> empty_segments: array<atomic<u32>, END_WORDS>;

fn offset_at(segment: u32, length: u32) -> u32 {
  return min(offsets[params.offsets_base + segment], length);
}

// Marks where segments end in the tile. Call in uniform control flow.
fn mark_ends(tile: u32, thread: u32, length: u32) {
  let begin = tile * TILE;
  let end = min(begin + TILE, length);
  let first = first_segment_of(tile, length);
  if (thread == 0u) {
    // The items before the first offset are in no segment.
    let start = offset_at(0u, length);
    if (start > begin && start <= end) {
      mark_end(start - 1u - begin, 0u);
    }
  }
  var segment = first + thread;
  while (segment < params.segment_count) {
    let start = offset_at(segment, length);
    let behind = offset_at(segment + 1u, length);
    if (start >= end) {
      break;
    }
    if (start >= behind) {
      if (start > begin) {
        atomicStore(&empty_segments[(start - 1u - begin) / 32u], 1u);
      }
      // Many empty segments one after another are passed in strides that grow.
      var stride = WORK_GROUP_SIZE;
      while (segment + stride < params.segment_count && offset_at(segment + stride + 1u, length) == start) {
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
  atomicOr(&segment_ends[at / 32u], 1u << (at % 32u));
  atomicMax(&least_segments[at / 32u], ~number);
}

// A bit for each item of a vector that is the last one of a segment. A vector has a power of two of items, so that its bits are in
// one word.
fn ends_of_vector(at: u32) -> u32 {
  return (atomicLoad(&segment_ends[at / 32u]) >> (at % 32u)) & ((2u << (VECTOR - 1u)) - 1u);
}

// The place of the segment that ends with an item of the tile. Those that end within the same 32 items are counted; where one of them
// is empty, its place is found by its end. The place is past the last one if the item is in no segment.
fn place_of_end(at: u32, begin: u32, length: u32) -> u32 {
  let word = at / 32u;
  let earlier = atomicLoad(&segment_ends[word]) & ((1u << (at % 32u)) - 1u);
  let place = ~atomicLoad(&least_segments[word]) + countOneBits(earlier) - 1u;
  if (atomicLoad(&empty_segments[word]) != 0u && place < params.segment_count) {
    return place_from(place, begin + at + 1u, length);
  }
  return place;
}

// The first segment from `place` on that ends at an index or behind it: in strides that grow, then by halves.
fn place_from(place: u32, index: u32, length: u32) -> u32 {
  var low = place;
  var stride = 1u;
  while (low + stride <= params.segment_count && offset_at(low + stride, length) < index) {
    low += stride;
    stride *= 2u;
  }
  var high = min(low + stride - 1u, params.segment_count);
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
  var run = Element(value_identity(), 0u);
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(tile, thread, vector);
    let first = place * VECTOR;
    var ends = 0u;
    if (last > max(first, begin) && last <= first + VECTOR) {
      ends = 1u << (last - first - 1u);
    }
    run = scan_vectors(run, load_edge(place, length), ends).run;
  }
  return scan_subgroups(run).total;
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
