// Faults that tests plant in a single pass. This file takes the place of faults_none.wgsl. The number of a run chooses its
// fault, so that one pipeline shows all faults. A fault hits some share of the entries that owners hand on. It never hits
// what a work-group hands on in place of an owner, since then no run could end.
// Used in tests, and to test an adapter that nobody vetted. src/gpu/tuning/look_back_faults.ts names the modes and the shares in
// the same order. Linked with what faults_none.wgsl is linked with. No work-group memory.

const MODES = 9u;
const SHARES = 6u;

// The turns of a delay. They take far longer than the work of a tile.
const DELAY = 1500u;

fn fault_mode() -> u32 {
  return (run_number() - 1u) / SHARES % MODES;
}

fn is_hit(place: u32) -> bool {
  switch ((run_number() - 1u) % SHARES) {
    case 0u: {
      return true;
    }
    case 1u: {
      return place == 0u;
    }
    // The totals of the last tiles of groups, and the carries that these tiles hand on.
    case 2u: {
      return place % GROUP_ENTRIES == FAN_OUT - 1u || place % GROUP_ENTRIES == FAN_OUT;
    }
    // Only the carries.
    case 3u: {
      return place % GROUP_ENTRIES == FAN_OUT;
    }
    case 4u: {
      return place % 7u == 3u;
    }
    // If lanes vote, this is the same member of some groups.
    default: {
      return place % 512u == 100u;
    }
  }
}

// Delays by atomic additions, which no compiler leaves out. They go to the ticket of run 0, which never runs.
fn delay(turns: u32) {
  for (var turn = 0u; turn < turns; turn++) {
    atomicAdd(&spine[2u * call.spine_entries * ENTRY_WORDS], 1u);
  }
}

fn delay_tile(tile: u32) {
  let mode = fault_mode();
  if (mode == 6u && is_hit(entry_of_tile(tile))) {
    delay(DELAY);
  }
  // The later the tile, the shorter its delay.
  if (mode == 7u && is_hit(entry_of_tile(tile))) {
    delay((call.tiles - min(tile, call.tiles)) * DELAY / call.tiles);
  }
}

fn is_withheld(place: u32, word: u32) -> bool {
  if (place >= call.spine_entries || !is_hit(place)) {
    return false;
  }
  switch (fault_mode()) {
    // The entry never comes.
    case 1u: {
      return true;
    }
    // One half of each word of the element never comes.
    case 2u: {
      return word % 2u == 1u;
    }
    case 3u: {
      return word % 2u == 0u;
    }
    // One word never comes: the last one, or (in the next case) the first one.
    case 4u: {
      return word == ENTRY_WORDS - 1u;
    }
    case 5u: {
      return word == 0u;
    }
    // The words come one by one, each after a delay.
    case 8u: {
      delay(DELAY / 2u);
      return false;
    }
    default: {
      return false;
    }
  }
}
