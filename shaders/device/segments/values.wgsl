// The values of segments' items without their heads, and the scan of a subgroup's vectors by bits that say which items end segments. So
// a thread holds a word for each item, and not an element of two.
// Linked with contract.wgsl, element.wgsl, subgroup.wgsl, load_items.wgsl, an input, and value_shuffle and value_shuffle_up. All subgroups
// are full, with at most 32 lanes. No work-group memory. scan_vectors needs LANE_STAGES, which is generated: the
// logarithm of MAX_SUBGROUP_SIZE.

// The values of the thread's items.
fn load_values(tile: u32, thread: u32, length: u32) -> array<SegmentValue, ITEMS> {
  var values: array<SegmentValue, ITEMS>;
  if ((tile + 1u) * TILE <= min(length, params.wide_length)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = vector_of(tile, thread, vector);
      var items = input_items(read_vector(place));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        values[vector * VECTOR + item] = headless_from_item(items[item], place * VECTOR + item).value;
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var items = load_edge(vector_of(tile, thread, vector), length);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        values[vector * VECTOR + item] = items[item];
      }
    }
  }
  return values;
}

// The values of a vector that may reach past the end of the data.
fn load_edge(place: u32, length: u32) -> array<SegmentValue, VECTOR> {
  var values: array<SegmentValue, VECTOR>;
  var items = read_edge(place, length);
  for (var item = 0u; item < VECTOR; item++) { // unroll
    values[item] = value_identity();
    if (place * VECTOR + item < length) {
      values[item] = headless_from_item(items[item], place * VECTOR + item).value;
    }
  }
  return values;
}

struct VectorsScan {
  // What comes before the vector in the run, since the last end.
  before: SegmentValue,
  // Whether no segment ends before the vector in the run.
  is_open: bool,
  // The run up to this row of vectors.
  run: Element,
}

// Combines a row of vectors, one a lane, with the rows before it in the run. `ends` has a bit for each item that ends a segment.
fn scan_vectors(run: Element, values: array<SegmentValue, VECTOR>, ends: u32) -> VectorsScan {
  let votes = subgroupBallot(ends != 0u).x;
  var items = values;
  // What the vector has behind its last end.
  var tail = items[0];
  for (var item = 1u; item < VECTOR; item++) { // unroll
    if ((ends & (1u << (item - 1u))) != 0u) {
      tail = items[item];
    } else {
      tail = combine_values(tail, items[item]);
    }
  }
  if ((ends & (1u << (VECTOR - 1u))) != 0u) {
    tail = value_identity();
  }
  // How many lanes before this one have no end, from its own on.
  let earlier = votes & ((2u << subgroup_rank) - 1u);
  let distance = select(subgroup_rank - firstLeadingBit(earlier), MAX_SUBGROUP_SIZE, earlier == 0u);
  for (var stage = 0u; stage < LANE_STAGES; stage++) { // unroll
    let step = 1u << stage;
    let other = value_shuffle_up(tail, step);
    if (subgroup_rank >= step && distance >= step) {
      tail = combine_values(other, tail);
    }
  }
  if (earlier == 0u) {
    tail = combine_values(run.value, tail);
  }
  var before = value_shuffle_up(tail, 1u);
  if (subgroup_rank == 0u) {
    before = run.value;
  }
  let is_open = run.heads == 0u && (votes & ((1u << subgroup_rank) - 1u)) == 0u;
  let last = value_shuffle(tail, subgroup_count - 1u);
  return VectorsScan(before, is_open, Element(last, select(run.heads, 1u, votes != 0u)));
}
