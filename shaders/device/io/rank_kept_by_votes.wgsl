// Ranks the kept items of a tile by the votes of its subgroups' rows. What a subgroup voted on each of its rows lies in work-group
// memory, so a thread that waits for other tiles holds its items and no ranks.
// Linked with subgroup.wgsl, subgroup_ballot.wgsl, subgroup_scan_totals.wgsl, subgroup_scan.wgsl, load_kept.wgsl and store_kept.wgsl, if
// vectors have one item, and subgroups are full and have at most 32 lanes.
// Call ranks_of in uniform control flow, once, and store_kept after it.
// Work-group memory: the algorithm's, and two words for each row of each subgroup.
// replaces: Ranks, ranks_of, store_kept

// For each row of a subgroup: its lanes' votes, and how many items the subgroup keeps in the rows before.
var<workgroup> row_votes: array<vec2<u32>, SUBGROUP_SLOTS * VECTORS>;

// How many items the tile keeps before the subgroup's run, and in all.
struct Ranks {
  before: Element,
  total: Element,
}

// A round is MIN_SUBGROUP_SIZE rows: each of the first lanes keeps the votes of one.
const ROUNDS = (VECTORS + MIN_SUBGROUP_SIZE - 1u) / MIN_SUBGROUP_SIZE;

fn ranks_of(kept: Kept, thread: u32) -> Ranks {
  var flags = kept.flags;
  // All votes come before the first branch.
  var votes: array<u32, ROUNDS>;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let row = subgroupBallot(((flags[vector / 32u] >> (vector % 32u)) & 1u) != 0u).x;
    votes[vector / MIN_SUBGROUP_SIZE] =
      select(votes[vector / MIN_SUBGROUP_SIZE], row, subgroup_lane == vector % MIN_SUBGROUP_SIZE);
  }
  var places: array<u32, ROUNDS>;
  var before = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    if (vector % MIN_SUBGROUP_SIZE == 0u) {
      let count = countOneBits(votes[vector / MIN_SUBGROUP_SIZE]);
      let counted = before + subgroup_scan_inclusive(count, subgroup_rank);
      places[vector / MIN_SUBGROUP_SIZE] = counted - count;
      before = element_shuffle(counted, subgroup_count - 1u);
    }
  }
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    if (vector % MIN_SUBGROUP_SIZE == 0u && subgroup_lane < min(MIN_SUBGROUP_SIZE, VECTORS - vector)) {
      row_votes[subgroup_number * VECTORS + vector + subgroup_lane] =
        vec2<u32>(votes[vector / MIN_SUBGROUP_SIZE], places[vector / MIN_SUBGROUP_SIZE]);
    }
  }
  let subgroups = scan_subgroups(before);
  return Ranks(subgroups.before, subgroups.total);
}

// `before_tile` is the number of items that the tiles before keep.
fn store_kept(tile: u32, thread: u32, kept: Kept, ranks: Ranks, before_tile: Element) {
  let before = before_tile + ranks.before;
  var items = kept.items;
  // Where each item has a place, none compares its index with the length.
  if (stores_all(tile)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let row = row_votes[subgroup_number * VECTORS + vector];
      let is_kept = ((row.x >> subgroup_lane) & 1u) != 0u;
      let index = vector_of(tile, thread, vector);
      let rank = row.y + countOneBits(row.x & lanes_before(subgroup_lane).x);
      store_item(is_kept, before + rank, index, kept_item(items[vector], index));
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let row = row_votes[subgroup_number * VECTORS + vector];
      let is_kept = ((row.x >> subgroup_lane) & 1u) != 0u;
      let index = vector_of(tile, thread, vector);
      if (is_stored(is_kept, index)) {
        let rank = row.y + countOneBits(row.x & lanes_before(subgroup_lane).x);
        store_item(is_kept, before + rank, index, kept_item(items[vector], index));
      }
    }
  }
}
