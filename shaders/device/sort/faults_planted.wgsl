// Faults that tests plant in a sort by look-back: FAULT is one of those that src/kernels/sort.ts names, and hits every
// FAULT_SHARE-th tile. A sum may come late, but it comes: a dispatch does not end before.
// Linked with first_by_look_back.wgsl in place of faults_none.wgsl. No work-group memory.

fn is_hit(tile: u32) -> bool {
  return tile % FAULT_SHARE == FAULT_SHARE - 1u;
}

// Delays by atomic additions, which no compiler leaves out. They go to a ticket that no work-group takes.
fn delay_tile(tile: u32, turns: u32) {
  if (is_hit(tile)) {
    for (var turn = 0u; turn < turns; turn++) {
      atomicAdd(&spine[FIRST_TICKET + DIGITS], 1u);
    }
  }
}

fn delay_parts(tile: u32) {
  if (FAULT == 1u) {
    delay_tile(tile, 1000u);
  }
}

fn delay_sums(tile: u32) {
  if (FAULT >= 4u) {
    delay_tile(tile, 1000u);
  }
}

fn is_part_withheld(tile: u32, digit: u32) -> bool {
  return is_hit(tile) && (FAULT == 2u || FAULT == 5u || (FAULT == 3u && digit % 3u == 1u));
}
