// Finds out which items of a tile are kept, and ranks these, by the votes of its subgroups' rows. Each lane holds what its subgroup voted
// on each row, and counts the bits of a vote when it stores an item of that row. A tile whose items are all there compares no index
// with the length.
// Linked with subgroup.wgsl, subgroup_ballot.wgsl, subgroup_scan_totals.wgsl, subgroup_contract.wgsl, load_kept.wgsl and store_kept.wgsl, if
// vectors have one item, and subgroups are full and have at most 32 lanes.
// Call load_kept and ranks_of in uniform control flow, once, and store_kept after them. Work-group memory: the algorithm's.
// replaces: Kept, load_kept, Ranks, ranks_of, store_kept

// All lanes of a subgroup take the same branches before they vote, but compilers do not know that.
diagnostic(off, subgroup_uniformity);

struct Kept {
  items: array<Input, ITEMS>,
  // For each row of the subgroup: its lanes' votes.
  votes: array<u32, VECTORS>,
}

// All loads come before the first call of keep, so that no load waits for another. All votes come before the total is handed on, which one
// lane does.
fn load_kept(tile: u32, thread: u32, length: u32) -> Kept {
  var kept: Kept;
  let first = vector_of(tile, thread, 0u);
  if ((tile + 1u) * TILE <= min(length, params.wide_length)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      kept.items[vector] = input_items(read_vector(first + vector * subgroup_count))[0];
    }
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      kept.votes[vector] = subgroupBallot(keep(kept.items[vector], first + vector * subgroup_count)).x;
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      kept.items[vector] = read_edge(first + vector * subgroup_count, length)[0];
    }
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let index = first + vector * subgroup_count;
      kept.votes[vector] = subgroupBallot(index < length && keep(kept.items[vector], index)).x;
    }
  }
  return kept;
}

// How many items the tile keeps before the subgroup's run, and in all.
struct Ranks {
  before: Element,
  total: Element,
}

fn ranks_of(kept: Kept, thread: u32) -> Ranks {
  var votes = kept.votes;
  var count = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    count += countOneBits(votes[vector]);
  }
  let subgroups = scan_subgroups(count);
  return Ranks(subgroups.before, subgroups.total);
}

// `before_tile` is the number of items that the tiles before keep.
fn store_kept(tile: u32, thread: u32, kept: Kept, ranks: Ranks, before_tile: Element) {
  var before = before_tile + ranks.before;
  var items = kept.items;
  var votes = kept.votes;
  let lanes = lanes_before(subgroup_lane).x;
  let first = vector_of(tile, thread, 0u);
  if (stores_all(tile)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let row = votes[vector];
      let index = first + vector * subgroup_count;
      let item = kept_item(items[vector], index);
      store_item(((row >> subgroup_lane) & 1u) != 0u, before + countOneBits(row & lanes), index, item);
      before += countOneBits(row);
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let row = votes[vector];
      let is_kept = ((row >> subgroup_lane) & 1u) != 0u;
      let index = first + vector * subgroup_count;
      if (is_stored(is_kept, index)) {
        store_item(is_kept, before + countOneBits(row & lanes), index, kept_item(items[vector], index));
      }
      before += countOneBits(row);
    }
  }
}
