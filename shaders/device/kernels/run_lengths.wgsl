// Finds runs of equal keys in one dispatch: how many items each has, and maybe its key or its first item. Each work-group finds out
// where runs start in one tile, and hands on how many do and where the last one does. While it waits for what the tiles before it
// handed on, the first runs of the tile lie side by side in work-group memory. Then it knows the number of each run, and where the run
// before it started, and stores them side by side. If more runs start in the tile than work-group memory has room for, the keys are
// loaded again, and the next runs follow, round after round.
//
// An element has two words: how many runs start, and one more than the index of the last item that starts one, or 0. Only lengths need
// the second one: numbers_alone.wgsl leaves it out.
//
// Linked with contract.wgsl, subgroup.wgsl, keys.wgsl or keys_by_expression.wgsl, load_keys_*.wgsl, look_back.wgsl, tile_*.wgsl,
// output_items.wgsl and length_*.wgsl. For a run's key, or its first item, with store_key.wgsl, store_first_item.wgsl or
// store_no_keys.wgsl. For its number with store_lengths.wgsl; or with numbers_alone.wgsl, and store_starts.wgsl or
// store_no_numbers.wgsl. These are linked with stage_firsts.wgsl or stage_no_firsts.wgsl. The files declare
//   stage_key, stage_first  what is staged for a run: its key, and where it starts
//   last_staged             one more than the index of the item that starts the last staged run
//   store_run               what is stored for a staged run that has a place in the outputs: its key or its first item
//   store_number            what else is stored: where it starts, or how many items the run before it has
//   store_length            how many items a run has
//   runs_of_subgroup        the runs that start in a subgroup's rows: `number` of all lanes, and `last` is the lane's own
//   started_runs            an element, and number_of and last_of its words
// All subgroups must be full, and have at most 32 lanes. A vector has at most four items. The outputs must not overlap the keys.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// Work-group memory: the algorithm's, the look-back's, a word, and what stage_*.wgsl take for STAGED runs.

@group(0) @binding(5) var<storage, read_write> count_buffer: array<u32>;

// How often runs of the tile are staged.
var<workgroup> run_rounds: u32;

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
  // All exchanges between lanes come before the branches that only a few lanes take.
  let starts = starts_of(tile, thread, length, keys);
  let scan = scan_subgroups(starts.all);
  hand_on(tile, scan.total, thread);
  let number = number_of(scan.total);
  let before = number_of(scan.before);
  if (thread == 0u) {
    run_rounds = (number + STAGED - 1u) / STAGED;
  }
  stage_runs(tile, thread, keys, starts, before, 0u);
  look_back(tile, scan.total, thread, length);
  let rounds = workgroupUniformLoad(&run_rounds);
  let place = number_of(carry());
  store_staged(thread, min(number, STAGED), place, last_of(carry()));
  for (var round = 1u; round < rounds; round++) {
    let first = round * STAGED;
    let last = last_staged();
    workgroupBarrier();
    stage_runs(tile, thread, load_keys(tile, thread, length), starts, before, first);
    workgroupBarrier();
    store_staged(thread, min(number - first, STAGED), place + first, last);
  }

  if (tile == last_tile(length) && thread == 0u) {
    let all = combine(carry(), scan.total);
    if (number_of(all) > 0u) {
      store_length(number_of(all) - 1u, length + 1u - last_of(all));
    }
    count_buffer[call.count_base] = number_of(all);
  }
}

const FLAG_WORDS = (ITEMS + 31u) / 32u;

// Where runs start in a thread's items.
struct Starts {
  // A bit for each item that starts a run.
  flags: array<u32, FLAG_WORDS>,
  // For each vector, how many runs start in its row before it, and in its whole row. A row has at most 128 items.
  before: array<u32, BYTE_WORDS>,
  rows: array<u32, BYTE_WORDS>,
  // The runs that start in all rows of the subgroup.
  all: Element,
}

// The keys that a thread takes: a vector at a time, if the tile is whole and the keys start at a vector, and one by one if not. Places past
// the end of the data hold no keys that count.
fn load_keys(tile: u32, thread: u32, length: u32) -> array<Key, ITEMS> {
  var found: array<Key, ITEMS>;
  if ((tile + 1u) * TILE <= length && keys_start_at_vector()) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var loaded = keys_of_vector(vector_of(tile, thread, vector));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        found[vector * VECTOR + item] = loaded[item];
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      for (var item = 0u; item < VECTOR; item++) { // unroll
        let index = vector_of(tile, thread, vector) * VECTOR + item;
        if (index < length) {
          found[vector * VECTOR + item] = key_at(index);
        }
      }
    }
  }
  return found;
}

// Nothing comes before the first key, which starts a run in any case.
fn key_before(index: u32) -> Key {
  var before: Key;
  if (index > 0u) {
    before = key_at(index - 1u);
  }
  return before;
}

// Call in uniform control flow.
fn starts_of(tile: u32, thread: u32, length: u32, keys: array<Key, ITEMS>) -> Starts {
  var own = keys;
  var flags: array<u32, FLAG_WORDS>;
  var counts: array<u32, BYTE_WORDS>;
  var last = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let first = vector_of(tile, thread, vector) * VECTOR;
    var before = key_before(min(first, length));
    var found = select(0u, 1u, first == 0u);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let key = own[vector * VECTOR + item];
      found |= select(1u << item, 0u, is_same_key(before, key));
      before = key;
    }
    found &= (1u << min(max(length, first) - first, VECTOR)) - 1u;
    last = select(last, first + firstLeadingBit(found) + 1u, found != 0u);
    counts[vector / 4u] |= countOneBits(found) << (8u * (vector % 4u));
    flags[vector * VECTOR / 32u] |= found << (vector * VECTOR % 32u);
  }
  var starts: Starts;
  starts.flags = flags;
  for (var word = 0u; word < BYTE_WORDS; word++) { // unroll
    let through = subgroupInclusiveAdd(counts[word]);
    starts.before[word] = through - counts[word];
    starts.rows[word] = subgroupShuffle(through, subgroup_count - 1u);
  }
  var number = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    number += (starts.rows[vector / 4u] >> (8u * (vector % 4u))) & 0xffu;
  }
  starts.all = runs_of_subgroup(number, last);
  return starts;
}

// Puts runs of the tile into work-group memory, from the run with the number `first` on. `before` is how many runs start in the tile
// before the subgroup's rows.
fn stage_runs(tile: u32, thread: u32, keys: array<Key, ITEMS>, starts: Starts, before: u32, first: u32) {
  var own = keys;
  var held = starts;
  var row = before - first;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let index = vector_of(tile, thread, vector) * VECTOR;
    let flags = held.flags[vector * VECTOR / 32u] >> (vector * VECTOR % 32u);
    var at = row + ((held.before[vector / 4u] >> (8u * (vector % 4u))) & 0xffu);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (((flags >> item) & 1u) != 0u) {
        if (at < STAGED) {
          stage_key(at, own[vector * VECTOR + item]);
          stage_first(at, index + item);
        }
        at++;
      }
    }
    row += (held.rows[vector / 4u] >> (8u * (vector % 4u))) & 0xffu;
  }
}

// Stores staged runs. `place` is the number of the first one, and `last` is one more than the index of the item that starts the run
// before it.
fn store_staged(thread: u32, number: u32, place: u32, last: u32) {
  for (var at = thread; at < number; at += WORK_GROUP_SIZE) {
    if (place + at < call.room) {
      store_run(place + at, at);
    }
    store_number(place + at, at, last);
  }
}

// The total of any tile. It reads one row after another, which is slow, but takes few registers. All threads get it. The order does
// not matter to these elements.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var sum = identity();
  for (var vector = 0u; vector < VECTORS; vector++) {
    sum = combine_vector(sum, vector_of(tile, thread, vector), length);
  }
  return scan_subgroups(subgroup_reduce(sum, subgroup_rank, subgroup_count)).total;
}

// Adds a vector's items to `before`. Only for a tile whose total is computed again.
fn combine_vector(before: Element, vector: u32, length: u32) -> Element {
  var sum = before;
  for (var item = 0u; item < VECTOR; item++) {
    let index = vector * VECTOR + item;
    if (index < length && (index == 0u || !is_same_key(key_at(index - 1u), key_at(index)))) {
      sum = combine(sum, started_runs(1u, index + 1u));
    }
  }
  return sum;
}
