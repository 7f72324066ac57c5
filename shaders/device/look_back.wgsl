// What comes before a tile, from what the tiles before it handed on in the same dispatch.
//
// Tiles form groups of FAN_OUT, and groups form sections of FAN_OUT. Each tile hands on its total; the
// last tile of a group the group's; the last tile of a section what comes before the next section. A
// tile's carry is the combination, in order, of what comes before its section, the groups before its own
// in the section, and the tiles before it in the group: all read at once, one a thread. Where a total
// comes from does not change how it is grouped, so every run combines in the same order.
//
// WebGPU does not promise that a work-group makes progress while another waits, so nobody waits for ever.
// After PATIENCE attempts the work-group computes what is missing from the input, which no one writes in this
// dispatch, and hands it on in its owner's stead.
//
// Linked with contract.wgsl, portable.wgsl, spine_entries.wgsl, and a kernel that has sum_of_vector.
// Call in uniform control flow; all threads get the carry. Work-group memory: a word.
// Sources: Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016;
// Smith, Levien, Owens, "Decoupled Fallback", SPAA 2025.

// Tiles in a group, and groups in a section.
const FAN_OUT = min(32u, 1u << (31u - countLeadingZeros(WORK_GROUP_SIZE / 2u)));

// Threads that read entries, one each.
const WINDOW = 2u * FAN_OUT;

// Words of an entry: sectors of 32 bytes to itself, since writers slow down readers of the same one.
const ENTRY_WORDS = (2u * ELEMENT_WORDS + 7u) / 8u * 8u;

// What can be handed on.
const TILE_TOTAL = 0u;
const GROUP_TOTAL = 1u;
const SECTION_CARRY = 2u;
// And what is computed from it for one tile alone.
const TILE_CARRY = 3u;

struct Wanted {
  kind: u32,
  index: u32,
}

fn entry_of(wanted: Wanted) -> u32 {
  let groups = params.spine_tiles / FAN_OUT;
  if (wanted.kind == TILE_TOTAL) {
    return wanted.index;
  }
  if (wanted.kind == GROUP_TOTAL) {
    return params.spine_tiles + wanted.index;
  }
  return params.spine_tiles + groups + wanted.index;
}

// How many entries there are.
fn entries() -> u32 {
  let groups = params.spine_tiles / FAN_OUT;
  return params.spine_tiles + groups + groups / FAN_OUT + 1u;
}

// What the thread contributes to something wanted: thread 0 what comes before the section, the next
// ones groups, and from FAN_OUT on tiles. Kind TILE_CARRY where it contributes nothing.
fn part_of(wanted: Wanted, thread: u32) -> Wanted {
  var section = 0u;
  var first_group = 0u;
  var groups = 0u;
  var first_tile = 0u;
  var tiles = 0u;
  if (wanted.kind == GROUP_TOTAL) {
    first_tile = wanted.index * FAN_OUT;
    tiles = FAN_OUT;
  } else if (wanted.kind == SECTION_CARRY) {
    section = wanted.index - 1u;
    first_group = section * FAN_OUT;
    groups = FAN_OUT;
  } else {
    let group = wanted.index / FAN_OUT;
    section = group / FAN_OUT;
    first_group = section * FAN_OUT;
    groups = group - first_group;
    first_tile = group * FAN_OUT;
    tiles = wanted.index - first_tile;
  }
  if (thread == 0u && section > 0u) {
    return Wanted(SECTION_CARRY, section);
  }
  if (thread >= 1u && thread - 1u < groups) {
    return Wanted(GROUP_TOTAL, first_group + thread - 1u);
  }
  if (thread >= FAN_OUT && thread - FAN_OUT < tiles) {
    return Wanted(TILE_TOTAL, first_tile + thread - FAN_OUT);
  }
  return Wanted(TILE_CARRY, 0u);
}

// The threads from the last down that found nothing: so that the largest is the first of them.
var<workgroup> look_back_missing: atomic<u32>;

// What `gather` found. It returns a uniform value, and this need not be one.
var<private> gathered: Element;

// Combines the parts of something wanted, those that are there within so many attempts. Returns the first
// thread whose part is missing, or WORK_GROUP_SIZE.
fn gather(wanted: Wanted, patience: u32, thread: u32) -> u32 {
  let part = part_of(wanted, thread);
  var element = identity();
  if (part.kind != TILE_CARRY) {
    let found = read_entry(entry_of(part), patience);
    if (found.is_whole) {
      element = found.element;
    } else {
      atomicMax(&look_back_missing, WORK_GROUP_SIZE - thread);
    }
  }
  let window = begin_window(element, thread);
  let missing = workgroupUniformLoad(&look_back_missing);
  gathered = finish_window(window);
  if (missing != 0u) {
    if (thread == 0u) {
      atomicStore(&look_back_missing, 0u);
    }
  }
  return WORK_GROUP_SIZE - missing;
}

// Something wanted, from what others handed on; what they did not is computed here, and handed on.
fn resolve(wanted: Wanted, thread: u32, length: u32) -> Element {
  var goal = wanted;
  var patience = PATIENCE;
  loop {
    let missing = gather(goal, patience, thread);
    if (missing == WORK_GROUP_SIZE) {
      if (goal.kind == wanted.kind && goal.index == wanted.index) {
        break;
      }
      if (thread == 0u) {
        write_place(entries() + entry_of(goal), gathered, 0u, 1u);
      }
      goal = wanted;
    } else {
      goal = part_of(goal, missing);
      if (goal.kind == TILE_TOTAL) {
        let total = total_of_tile(goal.index, thread, length);
        if (thread == 0u) {
          write_place(entries() + entry_of(goal), total, 0u, 1u);
        }
        goal = wanted;
      }
    }
    // What this work-group wrote, its own threads read next.
    workgroupBarrier();
    storageBarrier();
    patience = 1u;
  }
  return gathered;
}

// What comes before the tile, once it has been looked for.
var<private> look_back_carry: Element;

fn carry() -> Element {
  return look_back_carry;
}

// Hands on a tile's total, and what else is the tile's to hand on; afterwards carry() is what comes before it.
// Returns whether what the thread holds is better loaded again than held meanwhile.
fn look_back(tile: u32, total: Element, thread: u32, length: u32) -> bool {
  if (thread == 0u) {
    delay_tile(tile);
    write_place(entry_of(Wanted(TILE_TOTAL, tile)), total, 0u, 1u);
  }
  look_back_carry = identity();
  // Nothing comes before the first tile; it has a group's total to hand on only where groups are of one tile.
  if (tile == 0u && FAN_OUT > 1u) {
    return false;
  }
  let next = tile + 1u;
  var wanted = Wanted(TILE_CARRY, tile);
  if (next % FAN_OUT == 0u) {
    wanted = Wanted(GROUP_TOTAL, tile / FAN_OUT);
  }
  loop {
    let element = resolve(wanted, thread, length);
    if (wanted.kind == TILE_CARRY) {
      look_back_carry = element;
      break;
    }
    if (thread == 0u) {
      write_place(entry_of(wanted), element, 0u, 1u);
    }
    workgroupBarrier();
    if (wanted.kind == GROUP_TOTAL && next % (FAN_OUT * FAN_OUT) == 0u) {
      wanted = Wanted(SECTION_CARRY, next / (FAN_OUT * FAN_OUT));
    } else {
      wanted = Wanted(TILE_CARRY, tile);
    }
  }
  return false;
}
