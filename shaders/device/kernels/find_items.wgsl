// Finds which of the items for which a condition holds has the greatest score. Scores fall in the order in which tiles are searched.
// Each work-group takes a tile after another, tiles that are as far apart as there are work-groups, and ends where no later tile can have a
// greater score than the greatest that any work-group found.
// Linked with contract.wgsl, an input, length_*.wgsl and a file of device/find that says what scores are. The best score must be 0 at the
// start. It stays 0 if the condition holds for no item.
// Dispatch any number of work-groups. A grid of several rows may have more than call.tiles; these take no tile.
// Work-group memory: two words.

@group(0) @binding(16) var<storage, read_write> best: array<atomic<u32>>;

var<workgroup> best_known: u32;
var<workgroup> best_of_work_group: atomic<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn find_items(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let number = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  let tiles = select(0u, last_tile(length) + 1u, length > 0u && number < call.tiles);
  for (var turn = number; turn < tiles; turn += call.tiles) {
    let tile = tile_at(turn, tiles);
    if (thread == 0u) {
      // An older value than the newest is right, too: then the work-group takes a tile that it need not take.
      best_known = atomicLoad(&best[0]);
    }
    if (workgroupUniformLoad(&best_known) >= greatest_score(tile, length)) {
      break;
    }
    let score = score_in_tile(tile, thread, length);
    if (score > 0u) {
      atomicMax(&best_of_work_group, score);
    }
    workgroupBarrier();
    if (thread == 0u) {
      let found = atomicLoad(&best_of_work_group);
      if (found > 0u) {
        atomicMax(&best[0], found);
      }
    }
  }
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
