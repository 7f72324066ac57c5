// Writes runs out: each value as often as its count says. `ends` has how many items each run and all before it have.
// Linked with contract.wgsl, input_items.wgsl, output_items.wgsl and length_*.wgsl.
// Dispatch at least one work-group for each tile of the output, and one if the output has no room. Threads past the last item
// store nothing. No work-group memory.

@group(0) @binding(16) var<storage, read> ends: array<u32>;
@group(0) @binding(5) var<storage, read_write> total: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn expand_runs(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * params.grid_width + work_group.x;
  let runs = data_length();
  var items = 0u;
  if (runs > 0u) {
    // What the output has no room for is left out.
    items = min(run_end(runs - 1u), params.segment_count);
  }
  if (tile == 0u && thread == 0u) {
    total[params.count_base] = items;
  }
  if (tile * TILE >= items) {
    return;
  }
  // All threads of a tile look in the same places for the runs of its first and of its last item.
  let low = runs_up_to(tile * TILE, 0u, runs - 1u);
  let high = runs_up_to(min(tile * TILE + TILE, items) - 1u, low, runs - 1u);
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (index < items) {
      write_item(index, read_item(runs_up_to(index, low, high)));
    }
  }
}

fn run_end(run: u32) -> u32 {
  return ends[params.positions_base + run];
}

// How many runs end at an item or before it. It is known to be `first` at least, and `last` at most.
fn runs_up_to(index: u32, first: u32, last: u32) -> u32 {
  var low = first;
  var high = last;
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (run_end(middle) <= index) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low;
}
