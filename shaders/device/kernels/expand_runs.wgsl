// Writes runs out: each value as often as its count says. `ends` has how many items each run and all before it have.
// A work-group takes its tile in blocks. It finds the run of a block's first item, and notes each run of the block where it starts
// there. So an item finds its run in work-group memory: it is the run that starts last, up to the item.
// Linked with contract.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl.
// Generated with it: a const BLOCK_ITEMS, the items of a block that a thread takes. It divides ITEMS.
// Dispatch at least one work-group for each tile of the output, and one if the output has no room. Threads past the last item
// store nothing. Work-group memory: a word for each item of a block, two for each 32 of them, and one more.

@group(0) @binding(16) var<storage, read> ends: array<u32>;
@group(0) @binding(5) var<storage, read_write> count_buffer: array<u32>;

const BLOCK = WORK_GROUP_SIZE * BLOCK_ITEMS;
const BLOCK_WORDS = (BLOCK + 31u) / 32u;

// The run of the block's first item, the number of the run that starts at an item of the block, a bit for each item where one starts, and
// the last of these items before each word of bits.
var<workgroup> first_run: u32;
var<workgroup> block_runs: array<u32, BLOCK>;
var<workgroup> block_starts: array<atomic<u32>, BLOCK_WORDS>;
var<workgroup> starts_before: array<u32, BLOCK_WORDS>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn expand_runs(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let runs = data_length();
  var items = 0u;
  if (runs > 0u) {
    // What the output has no room for is left out.
    items = min(run_end(runs - 1u), call.room);
  }
  if (tile == 0u && thread == 0u) {
    count_buffer[call.count_base] = items;
  }
  var first = 0u;
  for (var begin = tile * TILE; begin < min(items, tile * TILE + TILE); begin += BLOCK) {
    first = run_of_item(begin, first, runs, thread);
    note_runs(first, begin, min(BLOCK, items - begin), runs, thread);
    workgroupBarrier();
    for (var word = thread; word < BLOCK_WORDS; word += WORK_GROUP_SIZE) {
      starts_before[word] = last_start_before(word);
    }
    workgroupBarrier();
    for (var item = 0u; item < BLOCK_ITEMS; item++) { // unroll
      let at = item * WORK_GROUP_SIZE + thread;
      if (at < items - begin) {
        write_item(begin + at, read_item(block_runs[last_start_up_to(at)]));
      }
    }
    if (BLOCK < TILE) {
      // The next block takes the same work-group memory.
      workgroupBarrier();
      for (var word = thread; word < BLOCK_WORDS; word += WORK_GROUP_SIZE) {
        atomicStore(&block_starts[word], 0u);
      }
    }
  }
}

fn run_end(run: u32) -> u32 {
  return ends[call.ends_base + run];
}

// The run of an item: the first one that ends behind it, from the run of an item before on. Threads try places at equal distances, then
// between two of these.
fn run_of_item(index: u32, least: u32, runs: u32, thread: u32) -> u32 {
  var run = least;
  // How many runs it may be, from this one on.
  var width = runs - least;
  while (width > 1u) {
    width = (width - 1u) / (WORK_GROUP_SIZE + 1u) + 1u;
    let next = run + (thread + 1u) * width;
    if (is_passed(next, index, runs) && (thread == WORK_GROUP_SIZE - 1u || !is_passed(next + width, index, runs))) {
      first_run = next;
    }
    run = workgroupUniformLoad(&first_run);
  }
  return run;
}

// Whether all runs before this one end at the item or before it. It is false for a number that no run has.
fn is_passed(run: u32, index: u32, runs: u32) -> bool {
  return run < runs && run_end(run - 1u) <= index;
}

// Notes the runs that have some of the block's items, from the run of the first one on.
fn note_runs(first: u32, begin: u32, length: u32, runs: u32, thread: u32) {
  var run = first + thread;
  while (run < runs) {
    var start = 0u;
    if (run > 0u) {
      start = run_end(run - 1u);
    }
    if (start >= begin + length) {
      return;
    }
    if (run_end(run) > start) {
      let at = max(start, begin) - begin;
      block_runs[at] = run;
      atomicOr(&block_starts[at / 32u], 1u << (at % 32u));
    } else {
      // Many empty runs one after another are passed in strides that grow.
      var stride = WORK_GROUP_SIZE;
      while (run + stride < runs && run_end(run + stride) == start) {
        run += stride;
        stride *= 2u;
      }
    }
    run += WORK_GROUP_SIZE;
  }
}

// The last item before a word's where a run starts. A run starts at the block's first item, or goes on there.
fn last_start_before(word: u32) -> u32 {
  for (var earlier = word; earlier > 0u; earlier--) {
    let starts = atomicLoad(&block_starts[earlier - 1u]);
    if (starts != 0u) {
      return (earlier - 1u) * 32u + firstLeadingBit(starts);
    }
  }
  return 0u;
}

// The last item up to one where a run starts.
fn last_start_up_to(at: u32) -> u32 {
  let word = at / 32u;
  let starts = atomicLoad(&block_starts[word]) & ((2u << (at % 32u)) - 1u);
  return select(word * 32u + firstLeadingBit(starts), starts_before[word], starts == 0u);
}
