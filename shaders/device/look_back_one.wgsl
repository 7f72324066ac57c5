// How a tile of a compaction finds what comes before it: the lanes of one subgroup read an entry each, and go on to the
// next group by their votes. To look at several groups at once gains nothing there.
// Linked with look_back.wgsl and look_back_lanes.wgsl. Call in uniform control flow. No work-group memory.

// From the tile's own group back, until a carry is there.
fn find_carry(tile: u32, total: Element, thread: u32) {
  if (subgroup_number == 0u) {
    let lane = min(subgroup_rank, FAN_OUT);
    for (var away = 0u; away < MOST_GROUPS; away++) {
      let group = tile / FAN_OUT - away;
      let entry = group * GROUP_ENTRIES + lane;
      // The lanes that need what they read.
      let tiles = select(FAN_OUT, tile % FAN_OUT, away == 0u);
      let needed = select(tiles, FAN_OUT + 1u, away == MOST_GROUPS - 1u && group > 0u);
      // Said in full: left to its default, it was seen to keep what it had for the group before.
      var found = Entry(false, identity());
      var all_there = false;
      for (var attempt = 0u; attempt < PATIENCE; attempt++) {
        found = read_place(entry);
        all_there = all_lanes(found.is_whole || lane >= needed);
        if (all_there) {
          break;
        }
      }
      if (!all_there) {
        if (!found.is_whole) {
          found = read_place(entries() + entry);
        }
        all_there = all_lanes(found.is_whole || lane >= needed);
        if (!all_there) {
          break;
        }
      }
      var element = identity();
      if (subgroup_rank < min(tiles, FAN_OUT - 1u)) {
        element = found.element;
      }
      // All that lanes ask each other, before what one of them does alone.
      let sum = subgroup_reduce(element, subgroup_rank, subgroup_count);
      let last = element_shuffle(found.element, FAN_OUT - 1u);
      var before = element_shuffle(found.element, FAN_OUT);
      let has_carry = subgroupAny(found.is_whole && subgroup_rank == FAN_OUT) || group == 0u;
      if (group == 0u) {
        before = identity();
      }
      if (subgroup_rank == 0u) {
        look_back_sums[away] = sum;
        look_back_lasts[away] = last;
        if (has_carry) {
          // From the farthest group to the tile's own.
          for (var other = away; other > 0u; other--) {
            before = combine(combine(before, look_back_sums[other]), look_back_lasts[other]);
          }
          before = combine(before, look_back_sums[0]);
          look_back_found = before;
          look_back_is_found = 1u;
          if (tile % FAN_OUT == FAN_OUT - 1u) {
            write_place(entry_of_carry(tile / FAN_OUT + 1u), combine(before, total), 0u, 1u);
          }
        }
      }
      if (has_carry) {
        break;
      }
    }
  }
}
