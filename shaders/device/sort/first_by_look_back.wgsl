// Where the first item of each digit of a tile goes, from what the tiles before it handed on in the same dispatch. A thread looks
// back for one digit. Each tile hands on how many of its items have the digit (its part), and once it knows it, how many of its
// own and of all tiles before it have it (its sum).
//
// The two upper bits of an entry say what the lower ones hold. Sums have other bits in every second pass, so that those of the
// pass before count as missing. No tile leaves a part behind. When a run starts, all entries are zero.
//
// WebGPU does not promise that a work-group makes progress while another waits, so no work-group waits for ever. After PATIENCE
// attempts, the whole work-group counts the items of the tile that it waits for, and hands on the parts in place of their owner. They are
// the same whoever counts them. Nobody writes the input in this dispatch.
//
// Linked with contract.wgsl, memory.wgsl, count_tile.wgsl, faults_none.wgsl and sort/tile_*.wgsl. Call in uniform control flow.
// Work-group memory: two words.
// Sources: Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016; Adinets, Merrill,
// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022; Smith, Levien, Owens, "Decoupled Fallback", SPAA 2025.

// Two sets of the numbers of items by digit, for all passes; which set the next sort counts in; which one this sort has counted in; a
// ticket for each pass; and the entries of all tiles. See tally_digits.wgsl.
@group(0) @binding(3) var<storage, read_write> spine: array<atomic<u32>>;

const PART = 2u;

// What the two upper bits of a sum are in this pass: 1 or 3.
fn sum_state() -> u32 {
  return 1u + 2u * (call.digit & 1u);
}

fn entry_of(tile: u32, digit: u32) -> u32 {
  return FIRST_ENTRY + tile * RADIX + digit;
}

fn hand_on_digits(tile: u32, count: u32, thread: u32) {
  delay_parts(tile);
  if (thread < RADIX && tile > 0u && !is_part_withheld(tile, thread)) {
    hand_on(entry_of(tile, thread), PART, count);
  }
  if (tile == 0u && call.digit == 0u) {
    turn_bins(thread);
  }
}

// Sets the bins that this sort does not read to zero. The next sort counts in them.
fn turn_bins(thread: u32) {
  let other = 1u - atomicLoad(&spine[COUNTED_BINS]);
  for (var bin = thread; bin < BINS; bin += WORK_GROUP_SIZE) {
    atomicStore(&spine[other * BINS + bin], 0u);
  }
  if (thread == 0u) {
    atomicStore(&spine[NEXT_BINS], other);
  }
}

fn hand_on(entry: u32, state: u32, count: u32) {
  atomicStore(&spine[entry], (state << 30u) | count);
}

fn items_of_digit(thread: u32) -> u32 {
  if (thread >= RADIX) {
    return 0u;
  }
  return atomicLoad(&spine[atomicLoad(&spine[COUNTED_BINS]) * BINS + call.digit * RADIX + thread]);
}

// The greatest number of a tile whose entry a thread waited for in vain, and 1 more.
var<workgroup> tile_missing: atomic<u32>;
var<workgroup> tile_to_count: u32;

// Leaves in digit_words what is added to the place of an item in the sorted tile to get its place in the output. `count` is how many
// items of the tile have the digit `thread`. `before` is how many of the tile, and of the whole data, have lesser ones.
fn find_places(tile: u32, count: u32, before: vec2<u32>, thread: u32, length: u32) {
  // The tiles that are still to be added, and the sum of those that were.
  var left = select(0u, tile, thread < RADIX);
  var sum = 0u;
  loop {
    for (var attempt = 0u; left > 0u && attempt < PATIENCE; attempt++) {
      // Reads the entries of several tiles. The first tile has no part, so entries before it are never added.
      var entries: array<u32, AT_ONCE>;
      for (var at = 0u; at < AT_ONCE; at++) { // unroll
        entries[at] = atomicLoad(&spine[entry_of(max(left, at + 1u) - at - 1u, thread)]);
      }
      // Adds the parts up to the first entry that is none.
      var other = 0u;
      var are_parts = true;
      for (var at = 0u; at < AT_ONCE; at++) { // unroll
        other = select(other, entries[at], are_parts);
        are_parts &= (entries[at] >> 30u) == PART;
        sum += select(0u, entries[at], are_parts);
        left -= select(0u, 1u, are_parts);
      }
      if (!are_parts && (other >> 30u) == sum_state()) {
        sum += other;
        left = 0u;
      }
    }
    // No sum takes more than 30 bits. What is above comes from the states.
    sum &= 0x3fffffffu;
    if (thread < RADIX) {
      atomicStore(&digit_words[thread], before.y + sum - before.x);
    }
    if (left > 0u) {
      atomicMax(&tile_missing, left);
    }
    workgroupBarrier();
    if (thread == 0u) {
      tile_to_count = atomicExchange(&tile_missing, 0u);
    }
    let missing = workgroupUniformLoad(&tile_to_count);
    if (missing == 0u) {
      break;
    }
    count_tile(missing - 1u, thread, length);
    if (thread < RADIX) {
      let entry = entry_of(missing - 1u, thread);
      let found = atomicLoad(&spine[entry]);
      if ((found >> 30u) != PART && (found >> 30u) != sum_state()) {
        // What the first tile counts is its sum.
        let state = select(PART, sum_state(), missing == 1u);
        _ = atomicCompareExchangeWeak(&spine[entry], found, (state << 30u) | atomicLoad(&digit_words[thread]));
      }
    }
  }
  delay_sums(tile);
  if (thread < RADIX) {
    hand_on(entry_of(tile, thread), sum_state(), sum + count);
  }
}
