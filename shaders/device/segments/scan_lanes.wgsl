// Combines what the lanes of a subgroup have of segments: values alone, without heads. Segments may end in any lane's items.
// Linked with contract.wgsl, element.wgsl and subgroup.wgsl. All subgroups are full. Generated with it: value_shuffle and value_shuffle_up,
// which move a value between lanes; and LANE_STAGES, the logarithm of MAX_SUBGROUP_SIZE.
// Call in uniform control flow. No work-group memory.

struct LanesScan {
  // What comes before the lane's items in its segment, since the start of the run.
  before: SegmentValue,
  // What is open behind the last lane's items.
  open: SegmentValue,
}

// Combines what each lane has behind its last end with the lanes before, and with what is open where these items start. `distance` says
// how many lanes before this one have no end, from its own on; it is more than the lane's rank if none has one.
fn scan_lanes(open: SegmentValue, own: SegmentValue, distance: u32) -> LanesScan {
  let reach = min(distance, subgroup_rank);
  var tail = own;
  for (var stage = 0u; stage < LANE_STAGES; stage++) { // unroll
    let step = 1u << stage;
    let other = value_shuffle_up(tail, step);
    if (reach >= step) {
      tail = combine_values(other, tail);
    }
  }
  if (distance > subgroup_rank) {
    tail = combine_values(open, tail);
  }
  var before = value_shuffle_up(tail, 1u);
  if (subgroup_rank == 0u) {
    before = open;
  }
  return LanesScan(before, value_shuffle(tail, subgroup_count - 1u));
}

// What all lanes of a subgroup have, combined.
fn total_of_lanes(own: SegmentValue) -> SegmentValue {
  return scan_lanes(value_identity(), own, MAX_SUBGROUP_SIZE).open;
}
