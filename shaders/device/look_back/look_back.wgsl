// Finds what comes before a tile, its carry, from what the tiles before it handed on in the same dispatch.
//
// Each tile hands on its total. Tiles form groups of FAN_OUT. The last tile of a group also hands on the carry of the next
// group: the combination of all that comes before that group. To look back, a few threads read a group's totals, one each,
// and its carry. They start with the tile's own group. If its carry is not there yet, they go on to the group before it.
// A tile's carry is the combination of these, in order: the nearest carry that was found; for each group from there on, the
// combined totals of all its tiles but the last, and then the total of the last; and the combined totals of the tiles
// before it in its own group. It does not matter for this grouping where a carry was found, so every run combines in the
// same order.
//
// WebGPU does not promise that a work-group makes progress while another waits, so no work-group waits for ever.
// After PATIENCE attempts the work-group computes the missing total from the input, which no one writes in
// this dispatch, and hands it on in place of its owner. So does a work-group that comes to a carry in this way, if it is the
// first one. Two could combine one carry from different totals: from the owner's, and from what a stand-in computed, which
// may differ in a float's last bits. Words of both must not be mixed.
//
// Linked with contract.wgsl, spine_entries.wgsl, portable.wgsl or subgroup.wgsl, look_back_threads.wgsl or
// look_back_votes.wgsl, which declare find_carry, and a kernel that declares combine_vector.
// Call in uniform control flow; all threads get the carry.
// Work-group memory: two elements and three words, and what find_carry takes.
// Sources: Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016;
// Smith, Levien, Owens, "Decoupled Fallback", SPAA 2025.

fn entry_of_tile(tile: u32) -> u32 {
  return tile / FAN_OUT * GROUP_ENTRIES + tile % FAN_OUT;
}

fn entry_of_carry(group: u32) -> u32 {
  return group * GROUP_ENTRIES + FAN_OUT;
}

// Whether this work-group is the first to come to a group's carry in place of its owner. The place behind the carry says so:
// it has the number of the run in which it was last taken.
fn claims_carry(group: u32) -> bool {
  let run = run_number();
  return atomicExchange(&spine[first_word_of(call.spine_entries + entry_of_carry(group) + 1u)], run) != run;
}

// The parts of look_back_stops of look_back_threads.wgsl and look_back_votes.wgsl.
const CARRY_IS_FOUND = 32u;
const STOP_BITS = 6u;
const NOBODY_STOPPED = 0xffffffffu;

// What comes before the tile. look_back sets it.
var<private> look_back_carry: Element;

fn carry() -> Element {
  return look_back_carry;
}

// Hands on a tile's total. Call this as early as possible, since other tiles wait for the total.
fn hand_on(tile: u32, total: Element, thread: u32) {
  if (thread == 0u) {
    delay_tile(tile);
  }
  if (thread < FAN_OUT) {
    write_place(entry_of_tile(tile), total, thread, FAN_OUT);
  }
}

// The result of find_carry: what comes before the tile, and whether it was found.
var<workgroup> look_back_found: Element;
var<workgroup> look_back_is_found: u32;

// Finds what comes before a tile. Afterwards carry() returns it. The last tile of a group also hands on the next group's
// carry.
fn look_back(tile: u32, total: Element, thread: u32, length: u32) {
  find_carry(tile, total, thread);
  if (workgroupUniformLoad(&look_back_is_found) == 0u) {
    look_back_again(tile, total, thread, length);
  } else {
    look_back_carry = look_back_found;
  }
}

// The slow way, if find_carry found nothing. It starts from the nearest carry that is there. From there to the tile's own
// group, it computes each group's carry from the totals of the group before. Totals that are not there are computed from
// the input. Only thread 0 holds the combined values. If all threads held them, the kernel was seen to take a fifth more
// registers, so that a quarter fewer work-groups ran at the same time.
fn look_back_again(tile: u32, total: Element, thread: u32, length: u32) {
  let own_group = tile / FAN_OUT;
  // Find the nearest group whose carry is there, or else the first group.
  if (thread == 0u) {
    look_back_group = own_group;
    look_back_known = identity();
    for (; look_back_group > 0u; look_back_group--) {
      let found = read_entry(entry_of_carry(look_back_group));
      if (found.is_whole) {
        look_back_known = found.element;
        break;
      }
    }
  }
  var group = workgroupUniformLoad(&look_back_group);
  loop {
    // Combine the group's totals. Of the tile's own group, these are the totals before the tile.
    let tiles = select(FAN_OUT, tile % FAN_OUT, group == own_group);
    var sum = identity();
    var last = identity();
    for (var member = 0u; member < tiles; member++) {
      let element = total_before(group * FAN_OUT + member, thread, length);
      if (member < FAN_OUT - 1u) {
        sum = with_total(sum, element, member);
      } else {
        last = element;
      }
    }
    sum = sum_of_totals(sum);
    if (thread == 0u) {
      look_back_known = combine(look_back_known, sum);
      if (group < own_group) {
        look_back_known = combine(look_back_known, last);
        if (claims_carry(group + 1u)) {
          write_place(call.spine_entries + entry_of_carry(group + 1u), look_back_known, 0u, 1u);
        }
      } else if (tiles == FAN_OUT - 1u) {
        write_place(entry_of_carry(group + 1u), combine(look_back_known, total), 0u, 1u);
      }
    }
    if (group == own_group) {
      break;
    }
    group++;
  }
  look_back_carry = workgroupUniformLoad(&look_back_known);
}

// The total of a tile before this one, for thread 0: as it was handed on, or else computed from the input.
fn total_before(other: u32, thread: u32, length: u32) -> Element {
  var element = identity();
  if (thread == 0u) {
    let found = read_entry(entry_of_tile(other));
    look_back_missing = select(1u, 0u, found.is_whole);
    element = found.element;
  }
  if (workgroupUniformLoad(&look_back_missing) != 0u) {
    element = total_of_tile(other, thread, length);
    if (thread == 0u) {
      write_place(call.spine_entries + entry_of_tile(other), element, 0u, 1u);
    }
  }
  return element;
}

// The group whose totals are being combined, what comes before it, and whether one of its totals is missing.
var<workgroup> look_back_group: u32;
var<workgroup> look_back_known: Element;
var<workgroup> look_back_missing: u32;
