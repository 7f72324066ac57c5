// How a tile finds what comes before it by votes. A few subgroups look at one group each, at the same time, and each lane
// reads one entry. If a carry is near, this takes one round trip to memory. A vote counts only if all lanes of the subgroup
// take part in it, wherever the compiler lets them meet.
// Linked with look_back.wgsl, subgroup.wgsl and subgroup_ballot.wgsl. All subgroups must be full, with at least four lanes.
// Call in uniform control flow.
// Work-group memory: 2 * MOST_GROUPS + AT_ONCE elements and a word.

// All lanes of a subgroup take the same branches here, but compilers do not know that.
diagnostic(off, subgroup_uniformity);

// For each group, by its distance: the combined totals of all its tiles but the last, and the total of the last.
var<workgroup> look_back_sums: array<Element, MOST_GROUPS>;
var<workgroup> look_back_lasts: array<Element, MOST_GROUPS>;

// How many groups are read at the same time, by one subgroup each. The last of these subgroups goes on to groups farther
// away.
const AT_ONCE = min(MOST_AT_ONCE, WORK_GROUP_SIZE / MAX_SUBGROUP_SIZE);

// What comes before the group at which each subgroup stopped.
var<workgroup> look_back_carries: array<Element, AT_ONCE>;

// The nearest place at which a subgroup stopped: the group's distance, CARRY_IS_FOUND if the subgroup found a carry there,
// and the subgroup. It is kept as a complement, so that atomicMax keeps the nearest. A subgroup that found a carry counts
// only if no subgroup lacks what it should read of that group or of a nearer one.
var<workgroup> look_back_stops: atomic<u32>;

fn find_carry(tile: u32, total: Element, thread: u32) {
  if (subgroup_number < AT_ONCE) {
    read_groups(tile);
  }
  workgroupBarrier();
  // One thread does this. If all threads do, the kernel takes a quarter more registers.
  if (thread == 0u) {
    let stop = ~atomicLoad(&look_back_stops);
    if ((stop & CARRY_IS_FOUND) != 0u && stop != NOBODY_STOPPED) {
      // Combine from the farthest group to the tile's own.
      var before = look_back_carries[stop % CARRY_IS_FOUND];
      for (var away = stop >> STOP_BITS; away > 0u; away--) {
        before = combine(combine(before, look_back_sums[away]), look_back_lasts[away]);
      }
      before = combine(before, look_back_sums[0]);
      look_back_found = before;
      look_back_is_found = 1u;
      if (tile % FAN_OUT == FAN_OUT - 1u) {
        write_place(entry_of_carry(tile / FAN_OUT + 1u), combine(before, total), 0u, 1u);
      }
    }
  }
}

// Reads the subgroup's group. The last subgroup also reads groups farther away, until it finds a carry.
fn read_groups(tile: u32) {
  let lane = min(subgroup_rank, FAN_OUT);
  for (var away = subgroup_number; away < MOST_GROUPS; away++) {
    if (away > tile / FAN_OUT) {
      break;
    }
    let group = tile / FAN_OUT - away;
    let entry = group * GROUP_ENTRIES + lane;
    // How many lanes read a total that the tile needs, and how many lanes must find their entry. Where `first` is
    // not the group's first lane, nothing that comes before the group counts, so its carry is not needed.
    let tiles = select(FAN_OUT, tile % FAN_OUT, away == 0u);
    let needed = select(tiles, FAN_OUT + 1u, away == MOST_GROUPS - 1u && group > 0u);
    // The initial value is written out. Without it, the variable was seen to keep its value from the group before.
    var found = Entry(false, identity());
    var all_there = false;
    var first = 0u;
    for (var attempt = 0u; attempt < PATIENCE; attempt++) {
      found = read_place(entry);
      first = first_needed(found, lane, tiles);
      all_there = all_lanes(found.is_whole || lane < first || lane >= select(needed, tiles, first > 0u));
      if (all_there) {
        break;
      }
    }
    if (!all_there) {
      if (!found.is_whole) {
        found = read_place(call.spine_entries + entry);
      }
      all_there = all_lanes(found.is_whole || lane < first || lane >= select(needed, tiles, first > 0u));
      if (!all_there) {
        if (subgroup_rank == 0u) {
          atomicMax(&look_back_stops, ~(away << STOP_BITS));
        }
        break;
      }
    }
    var element = identity();
    if (subgroup_rank >= first && subgroup_rank < min(tiles, FAN_OUT - 1u)) {
      element = found.element;
    }
    // All exchanges between lanes come before the branch that one lane takes alone.
    let sum = subgroup_reduce(element, subgroup_rank, subgroup_count);
    let last = element_shuffle(found.element, FAN_OUT - 1u);
    var before = element_shuffle(found.element, FAN_OUT);
    let is_start = group == 0u || first > 0u;
    let has_carry = subgroupAny(found.is_whole && subgroup_rank == FAN_OUT) || is_start;
    if (is_start) {
      before = identity();
    }
    if (subgroup_rank == 0u) {
      look_back_sums[away] = sum;
      look_back_lasts[away] = last;
      if (has_carry) {
        look_back_carries[subgroup_number] = before;
        atomicMax(&look_back_stops, ~((away << STOP_BITS) + CARRY_IS_FOUND + subgroup_number));
      }
    }
    if (has_carry || subgroup_number < AT_ONCE - 1u) {
      break;
    }
  }
}

// The first of a group's tiles that counts, for what comes before a tile. first_needed_of_segments.wgsl declares another one: where a segment
// ends, nothing before counts.
fn first_needed(found: Entry, member: u32, tiles: u32) -> u32 {
  return 0u;
}

// Whether a condition holds in all lanes of the subgroup.
fn all_lanes(condition: bool) -> bool {
  return count_votes(subgroupBallot(condition)) == subgroup_count;
}

// The lane of this member keeps its total, which thread 0 knows.
fn with_total(kept: Element, total: Element, member: u32) -> Element {
  let element = element_shuffle(total, 0u);
  if (subgroup_rank == member) {
    return element;
  }
  return kept;
}

// Combines the totals that the lanes keep.
fn sum_of_totals(kept: Element) -> Element {
  return subgroup_reduce(kept, subgroup_rank, subgroup_count);
}
