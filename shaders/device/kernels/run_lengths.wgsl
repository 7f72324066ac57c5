// Finds runs of equal keys in one dispatch: how many items each has, and maybe its key or its first item. Each work-group finds out
// where runs start in one tile, and hands on how many do and where the last one does. It looks back at what the tiles before it
// handed on. Then it knows the number of each run, and where the run before it started: what is stored for a run goes to its
// number, and how many items the run before it has goes to the place before.
//
// An element has two words: how many runs start, and one more than the index of the last item that starts one, or 0. Each
// item's key is loaded once. Lanes vote on which items of a row start runs. Then each lane takes the votes of one row, and the lanes
// scan what starts in the rows. Both wait in work-group memory for the look-back, so a thread holds only its keys over the wait.
//
// Linked with contract.wgsl (a vector is one item), subgroup.wgsl, key_before_*.wgsl, keys.wgsl or
// keys_by_expression.wgsl, look_back.wgsl, tile_*.wgsl, output_items.wgsl, length_*.wgsl, and store_*.wgsl for what is stored for a run.
// All subgroups must be full, and have at most 32 lanes. The outputs must not overlap the keys.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// Work-group memory: the algorithm's, the look-back's, and four words for each row of a tile.
// replaces: total_of_tile

@group(0) @binding(5) var<storage, read_write> total: array<u32>;

// For each row of the tile: a bit for each lane whose item starts a run, and the runs that start in the subgroup's rows before.
var<workgroup> run_rows: array<vec4<u32>, SUBGROUP_SLOTS * VECTORS>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn run_lengths(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let tile = tile_of(work_group, thread);
  let length = data_length();
  if (tile > last_tile(length)) {
    return;
  }

  let keys = load_keys(tile, thread, length);
  let scan = scan_subgroups(scan_runs(tile, thread, length, keys));
  hand_on(tile, scan.total, thread);
  look_back(tile, scan.total, thread, length);
  store_runs(tile, thread, keys, combine(carry(), scan.before));

  if (tile == last_tile(length) && thread == 0u) {
    let all = combine(carry(), scan.total);
    if (all.x > 0u) {
      store_length(all.x - 1u, length + 1u - all.y);
    }
    total[params.count_base] = all.x;
  }
}

fn load_keys(tile: u32, thread: u32, length: u32) -> array<Key, ITEMS> {
  var keys: array<Key, ITEMS>;
  if ((tile + 1u) * TILE <= length) {
    for (var row = 0u; row < VECTORS; row++) { // unroll
      keys[row] = key_at(vector_of(tile, thread, row));
    }
  } else {
    for (var row = 0u; row < VECTORS; row++) { // unroll
      let index = vector_of(tile, thread, row);
      if (index < length) {
        keys[row] = key_at(index);
      }
    }
  }
  return keys;
}

// Scans the runs that start in the subgroup's rows, and returns those that start in all of them. Call in uniform control flow.
fn scan_runs(tile: u32, thread: u32, length: u32, keys: array<Key, ITEMS>) -> Element {
  var own = keys;
  // A lane's votes are those of the row with its number, and of each row that is MIN_SUBGROUP_SIZE farther.
  var votes: array<u32, (VECTORS + MIN_SUBGROUP_SIZE - 1u) / MIN_SUBGROUP_SIZE>;
  let first = vector_of(tile, thread, 0u) - subgroup_rank;
  begin_keys(first);
  for (var row = 0u; row < VECTORS; row++) { // unroll
    let index = vector_of(tile, thread, row);
    let before = key_before(index, own[row]);
    let starts = index < length && (index == 0u || !is_same_key(before, own[row]));
    let vote = subgroupBallot(starts).x;
    votes[row / MIN_SUBGROUP_SIZE] = select(votes[row / MIN_SUBGROUP_SIZE], vote, subgroup_rank == row % MIN_SUBGROUP_SIZE);
  }
  var known = identity();
  for (var rows = 0u; rows < VECTORS; rows += MIN_SUBGROUP_SIZE) {
    let row = rows + subgroup_rank;
    let vote = votes[rows / MIN_SUBGROUP_SIZE];
    let started = subgroup_scan_inclusive(started_in_row(first + row * subgroup_count, vote), subgroup_rank);
    let others = element_shuffle_up(started, 1u);
    let all = element_shuffle(started, subgroup_count - 1u);
    if (subgroup_rank < MIN_SUBGROUP_SIZE && row < VECTORS) {
      let before = combine(known, select(others, identity(), subgroup_rank == 0u));
      run_rows[subgroup_number * VECTORS + row] = vec4<u32>(vote, before, 0u);
    }
    known = combine(known, all);
  }
  return known;
}

// The runs that start in a row, or in a part of it. `first` is the index of the row's first item.
fn started_in_row(first: u32, votes: u32) -> Element {
  return Element(countOneBits(votes), select(0u, first + firstLeadingBit(votes) + 1u, votes != 0u));
}

// `before` has the runs that start before the subgroup's rows.
fn store_runs(tile: u32, thread: u32, keys: array<Key, ITEMS>, before: Element) {
  var own = keys;
  for (var row = 0u; row < VECTORS; row++) { // unroll
    let found = run_rows[subgroup_number * VECTORS + row];
    if (((found.x >> subgroup_lane) & 1u) != 0u) {
      let index = vector_of(tile, thread, row);
      let in_row = started_in_row(index - subgroup_rank, found.x & ((1u << subgroup_lane) - 1u));
      let earlier = combine(before, combine(found.yz, in_row));
      store_run(earlier.x, index, own[row]);
      store_start(earlier.x, index);
      if (earlier.x > 0u) {
        store_length(earlier.x - 1u, index + 1u - earlier.y);
      }
    }
  }
}

fn store_length(place: u32, items: u32) {
  if (place < params.segment_count) {
    write_item(place, items);
  }
}

// The total of any tile. It reads one row after another, which is slow, but takes few registers. All threads get it. The order does
// not matter to these elements.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var row = 0u; row < VECTORS; row++) {
    sum = combine_vector(sum, vector_of(tile, thread, row), length);
  }
  return scan_subgroups(subgroup_reduce(sum, subgroup_rank, subgroup_count)).total;
}

// Adds a row's item to `before`. Only for a tile whose total is computed again.
fn combine_vector(before: Element, index: u32, length: u32) -> Element {
  if (index < length && (index == 0u || !is_same_key(key_at(index - 1u), key_at(index)))) {
    return combine(before, Element(1u, index + 1u));
  }
  return before;
}

// What else is stored for a run: its key or its first item, and where it starts.
fn store_run(place: u32, first: u32, key: Key) {
}

fn store_start(place: u32, first: u32) {
}
