// What comes before a tile, from what the tiles before it handed on in the same dispatch: by subgroups.
//
// Each tile hands on its total. Tiles form groups of FAN_OUT, and the last tile of a group hands on what comes
// before the next group, its carry. The subgroups of a work-group read the totals of the groups up to the
// tile, a group each, and one of them the carries of these groups, all at once; and where no carry is there
// yet, those of the groups before. A tile's carry is the nearest carry found, then, in order, each group's
// combined totals from there on, and those of the tile's own group. Where a carry was found does not change how
// totals are grouped, so every run combines in the same order.
//
// WebGPU does not promise that a work-group makes progress while another waits, so nobody waits for ever.
// After PATIENCE attempts the work-group computes the missing total from the input, which no one writes in
// this dispatch, and hands it on in its owner's stead.
//
// Linked with contract.wgsl, subgroup.wgsl, spine_entries.wgsl, and a kernel that has sum_of_vector.
// All subgroups are full, and there are two at least. Call in uniform control flow; all threads get the carry.
// Work-group memory: MOST_GROUPS + GROUPS + FAN_OUT + 1 elements and three words.
// Sources: Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016;
// Smith, Levien, Owens, "Decoupled Fallback", SPAA 2025.

// Tiles in a group: a lane for each.
const FAN_OUT = min(32u, MIN_SUBGROUP_SIZE);

// Groups that are read at once: a subgroup for each, and one for their carries. And how many in all.
const GROUPS = min(2u, WORK_GROUP_SIZE / MAX_SUBGROUP_SIZE - 1u);
const MOST_GROUPS = 32u * GROUPS;

// Attempts to read a carry: one that is farther away will do.
const CARRY_PATIENCE = 2u;

// Words of an entry.
const ENTRY_WORDS = 2u * ELEMENT_WORDS;

// How many entries there are: the tiles', then the groups'.
fn entries() -> u32 {
  return params.spine_tiles + params.spine_tiles / FAN_OUT + 1u;
}

fn entry_of_carry(group: u32) -> u32 {
  return params.spine_tiles + group;
}

// GROUPS less the distance to the nearest group whose carry was found, or 0; TOTAL_IS_MISSING.
var<workgroup> look_back_finds: atomic<u32>;
const TOTAL_IS_MISSING = 0xffffffffu;

// By distance from the tile's own group, the carries found at once, and the combined totals.
var<workgroup> look_back_carries: array<Element, GROUPS>;
var<workgroup> look_back_sums: array<Element, MOST_GROUPS>;

// What comes before the tile, once it has been looked for.
var<private> look_back_carry: Element;

fn carry() -> Element {
  return look_back_carry;
}

// Hands on a tile's total, and what else is the tile's to hand on; afterwards carry() is what comes before it.
// Returns whether that took long: then what the thread holds is better loaded again than held meanwhile.
fn look_back(tile: u32, total: Element, thread: u32, length: u32) -> bool {
  if (thread == 0u) {
    delay_tile(tile);
  }
  write_place(tile, total, thread, WORK_GROUP_SIZE);
  let own_group = tile / FAN_OUT;
  let is_last = tile % FAN_OUT == FAN_OUT - 1u;
  var own_total = identity();
  for (var first = 0u; first < MOST_GROUPS; first += GROUPS) {
    // The subgroup's group, by its distance; and the carry's, by a lane of the last of these subgroups.
    let away = first + subgroup_number;
    let reads_group = subgroup_number < GROUPS && away <= own_group;
    let tiles = select(FAN_OUT, tile % FAN_OUT, away == 0u);
    let reads_total = reads_group && subgroup_rank < tiles;
    let reads_carry = subgroup_number == GROUPS && subgroup_rank < GROUPS && first + subgroup_rank <= own_group;
    var element = identity();
    if (reads_total) {
      let found = read_entry((own_group - away) * FAN_OUT + subgroup_rank, PATIENCE);
      element = found.element;
      if (!found.is_whole) {
        atomicMax(&look_back_finds, TOTAL_IS_MISSING);
      }
    }
    if (reads_carry) {
      let group = own_group - first - subgroup_rank;
      var found = Entry(true, identity());
      if (group > 0u) {
        found = read_entry(entry_of_carry(group), CARRY_PATIENCE);
      }
      if (found.is_whole) {
        look_back_carries[subgroup_rank] = found.element;
        atomicMax(&look_back_finds, GROUPS - subgroup_rank);
      }
    }
    let sum = subgroup_reduce(element, subgroup_rank, subgroup_count);
    if (subgroup_rank == 0u && reads_group) {
      look_back_sums[away] = sum;
    }
    if (first == 0u && is_last) {
      if (subgroup_rank == FAN_OUT - 1u) {
        element = total;
      }
      own_total = subgroup_reduce(element, subgroup_rank, subgroup_count);
    }

    let finds = workgroupUniformLoad(&look_back_finds);
    if (finds == TOTAL_IS_MISSING) {
      break;
    }
    if (finds != 0u) {
      // From the farthest group to the tile's own.
      let nearest = GROUPS - finds;
      var before = look_back_carries[nearest];
      for (var at = first + nearest; at > 0u; at--) {
        before = combine(before, look_back_sums[at]);
      }
      look_back_carry = combine(before, look_back_sums[0]);
      if (is_last && subgroup_number == 0u) {
        let next = entry_of_carry(own_group + 1u);
        write_place(next, combine(before, own_total), subgroup_rank, subgroup_count);
      }
      return false;
    }
  }
  look_back_again(tile, total, thread, length);
  return true;
}

// The same, slowly: the carries of the groups from the first missing one to the tile's own, each from the totals of
// the group before it; totals that are not there are computed from the input.
fn look_back_again(tile: u32, total: Element, thread: u32, length: u32) {
  let own_group = tile / FAN_OUT;
  workgroupBarrier();
  // The nearest group whose carry is there, or the first.
  if (thread == 0u) {
    look_back_group = own_group;
    look_back_known = identity();
    for (; look_back_group > 0u; look_back_group--) {
      let found = read_entry(entry_of_carry(look_back_group), 1u);
      if (found.is_whole) {
        look_back_known = found.element;
        break;
      }
    }
  }
  var group = workgroupUniformLoad(&look_back_group);
  loop {
    // The group's totals; of the tile's own group those before the tile.
    let tiles = select(FAN_OUT, tile % FAN_OUT, group == own_group);
    for (var member = 0u; member < tiles; member++) {
      let other = group * FAN_OUT + member;
      if (thread == 0u) {
        let found = read_entry(other, 1u);
        look_back_missing = select(1u, 0u, found.is_whole);
        look_back_totals[member] = found.element;
      }
      if (workgroupUniformLoad(&look_back_missing) != 0u) {
        let again = total_of_tile(other, thread, length);
        if (thread == 0u) {
          look_back_totals[member] = again;
          write_place(entries() + other, again, 0u, 1u);
        }
      }
    }
    workgroupBarrier();
    let is_first = subgroup_number == 0u;
    var element = identity();
    if (is_first && subgroup_rank < tiles) {
      element = look_back_totals[subgroup_rank];
    }
    let sum = subgroup_reduce(element, subgroup_rank, subgroup_count);
    if (is_first && subgroup_rank == tiles) {
      element = total;
    }
    let with_own = subgroup_reduce(element, subgroup_rank, subgroup_count);
    if (thread == 0u) {
      let before = look_back_known;
      look_back_known = combine(before, sum);
      if (group < own_group) {
        write_place(entries() + entry_of_carry(group + 1u), look_back_known, 0u, 1u);
      } else if (tiles == FAN_OUT - 1u) {
        write_place(entry_of_carry(group + 1u), combine(before, with_own), 0u, 1u);
      }
    }
    if (group == own_group) {
      break;
    }
    group++;
    workgroupBarrier();
  }
  workgroupBarrier();
  look_back_carry = look_back_known;
}

// The group at work, and what comes before it.
var<workgroup> look_back_group: u32;
var<workgroup> look_back_known: Element;
// The totals of its tiles, and whether one is missing.
var<workgroup> look_back_totals: array<Element, FAN_OUT>;
var<workgroup> look_back_missing: u32;
