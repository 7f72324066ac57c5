// Linked in place of faults_none.wgsl: each run of a single pass has one fault, chosen by its number, so that
// one pipeline shows them all. A fault hits the owners' entries, in some share of the places. What is handed
// on in an owner's stead is never hit: nothing could end then.
// For tests, and for the test of an adapter that nobody vetted: runtime/faults.ts names the modes and the shares
// in the same order. Linked with what faults_none.wgsl is linked with. No work-group memory.

const MODES = 9u;
const SHARES = 6u;

// Turns of a delay: a tile takes a small part of this many.
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
    // The last tiles of groups; and what they hand on for their group.
    case 2u: {
      return place % GROUP_ENTRIES == FAN_OUT - 1u || place % GROUP_ENTRIES == FAN_OUT;
    }
    // What tiles hand on for their group alone.
    case 3u: {
      return place % GROUP_ENTRIES == FAN_OUT;
    }
    case 4u: {
      return place % 7u == 3u;
    }
    // Where lanes vote, the same member of some groups.
    default: {
      return place % 512u == 100u;
    }
  }
}

// Atomic additions to the ticket of a run that never is, which no compiler leaves out.
fn delay(turns: u32) {
  for (var turn = 0u; turn < turns; turn++) {
    atomicAdd(&spine[2u * entries() * ENTRY_WORDS], 1u);
  }
}

fn delay_tile(tile: u32) {
  let mode = fault_mode();
  if (mode == 6u && is_hit(entry_of_tile(tile))) {
    delay(DELAY);
  }
  // The later the tile, the sooner.
  if (mode == 7u && is_hit(entry_of_tile(tile))) {
    delay((params.tiles - min(tile, params.tiles)) * DELAY / params.tiles);
  }
}

fn is_withheld(place: u32, word: u32) -> bool {
  if (place >= entries() || !is_hit(place)) {
    return false;
  }
  switch (fault_mode()) {
    // Never.
    case 1u: {
      return true;
    }
    // One half of each word of the element.
    case 2u: {
      return word % 2u == 1u;
    }
    case 3u: {
      return word % 2u == 0u;
    }
    // All but the last, and all but the first.
    case 4u: {
      return word == 2u * ELEMENT_WORDS - 1u;
    }
    case 5u: {
      return word == 0u;
    }
    // Word by word, with time in between.
    case 8u: {
      delay(DELAY / 2u);
      return false;
    }
    default: {
      return false;
    }
  }
}
