// Finds which of the items for which a condition holds has the greatest score. Scores fall in the order in which tiles are searched.
// Work-groups take tiles in that order, whichever of them run at a time. Each ends where no later tile can have a greater score than the
// greatest that any work-group found.
// Linked with contract.wgsl, an input, length_*.wgsl and a file of device/find that says what scores are. All of the search must be 0 at the
// start. Its best score stays 0 if the condition holds for no item.
// Dispatch any number of work-groups. Work-group memory: two words.

struct Search {
  best: atomic<u32>,
  // How many tiles were taken.
  turns: atomic<u32>,
}

@group(0) @binding(16) var<storage, read_write> search: Search;

var<workgroup> own_turn: u32;
var<workgroup> own_best: atomic<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn find_items(@builtin(local_invocation_index) thread: u32) {
  let length = data_length();
  let tiles = select(0u, last_tile(length) + 1u, length > 0u);
  loop {
    if (thread == 0u) {
      own_turn = take_turn(tiles, length);
    }
    let turn = workgroupUniformLoad(&own_turn);
    if (turn >= tiles) {
      break;
    }
    let score = score_in_tile(tile_at(turn, tiles), thread, length);
    if (score > 0u) {
      atomicMax(&own_best, score);
    }
    workgroupBarrier();
    if (thread == 0u) {
      let best = atomicLoad(&own_best);
      if (best > 0u) {
        atomicMax(&search.best, best);
      }
    }
  }
}

// The turn of the next tile; or the number of tiles, if there is nothing to find in it. Call with one thread.
fn take_turn(tiles: u32, length: u32) -> u32 {
  let turn = atomicAdd(&search.turns, 1u);
  // The load may give an older score than the best. Then the tile is searched without need.
  let is_behind = turn < tiles && atomicLoad(&search.best) >= greatest_score(tile_at(turn, tiles), length);
  return select(turn, tiles, is_behind);
}

// The greatest score among a thread's items of a tile; 0 if the condition holds for none.
fn score_in_tile(tile: u32, thread: u32, length: u32) -> u32 {
  let first = tile * (TILE / VECTOR) + thread;
  var items: array<array<Input, VECTOR>, VECTORS>;
  // All loads come first, so that they are under way together.
  if ((tile + 1u) * TILE <= min(length, call.wide_length)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      items[vector] = input_items(read_vector(first + vector * WORK_GROUP_SIZE));
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      items[vector] = read_edge(first + vector * WORK_GROUP_SIZE, length);
    }
  }
  var greatest = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let index = (first + vector * WORK_GROUP_SIZE) * VECTOR + item;
      if (index < length && keep(items[vector][item], index)) {
        greatest = max(greatest, score_of(index));
      }
    }
  }
  return greatest;
}
