// Stores every item, as store_apart.wgsl does, for subgroups that vote. The votes wait for the look-back in work-group memory, so threads
// hold no ranks meanwhile. They cannot be made anew after the look-back either: one driver was seen to do that where the first thread
// was still on its own, and to leave it out.
// Linked with store_apart.wgsl, store_kept.wgsl, subgroup.wgsl and load_kept.wgsl; a vector is one item. All subgroups must be full, and
// have the same number of lanes, 32 at most. Call ranks_of in uniform control flow, and meet at a barrier before store_kept.
// Work-group memory: two words for each of VOTED_ROWS rows of each subgroup.
// replaces: Ranks, ranks_of, store_kept

// Rows of a subgroup, and as many more as make each lane's turn whole.
const VOTED_ROWS = (VECTORS + MAX_SUBGROUP_SIZE - 1u) / MAX_SUBGROUP_SIZE * MAX_SUBGROUP_SIZE;

// For each row of the tile: a bit for each lane whose item is kept, and how many items of the subgroup's rows before are.
var<workgroup> kept_rows: array<vec2<u32>, SUBGROUP_SLOTS * VOTED_ROWS>;

struct Ranks {
  // How many items of the subgroup's rows are kept.
  number: u32,
}

fn ranks_of(kept: Kept) -> Ranks {
  var counts = counts_of(kept);
  // A lane keeps the votes of the row with its number, and of each row that is MAX_SUBGROUP_SIZE farther.
  var votes: array<vec2<u32>, VOTED_ROWS / MAX_SUBGROUP_SIZE>;
  var number = 0u;
  for (var row = 0u; row < VECTORS; row++) { // unroll
    let vote = subgroupBallot(counts[row] != 0u).x;
    let turn = row / MAX_SUBGROUP_SIZE;
    votes[turn] = select(votes[turn], vec2<u32>(vote, number), subgroup_rank == row % MAX_SUBGROUP_SIZE);
    number += countOneBits(vote);
  }
  // All lanes write, so that none is on its own when the next vote comes.
  for (var row = 0u; row < VECTORS; row += MAX_SUBGROUP_SIZE) {
    kept_rows[subgroup_number * VOTED_ROWS + row + subgroup_rank] = votes[row / MAX_SUBGROUP_SIZE];
  }
  return Ranks(number);
}

// `before` is the number of items that are kept before the subgroup's rows.
fn store_kept(tile: u32, thread: u32, kept: Kept, ranks: Ranks, before: Element) {
  var items = kept.items;
  for (var row = 0u; row < VECTORS; row++) { // unroll
    let index = vector_of(tile, thread, row);
    let found = kept_rows[subgroup_number * VOTED_ROWS + row];
    let rank = found.y + countOneBits(found.x & ((1u << subgroup_lane) - 1u));
    if (is_stored(true, index)) {
      store_item(((found.x >> subgroup_lane) & 1u) != 0u, before + rank, index, kept_item(items[row], index));
    }
  }
}
