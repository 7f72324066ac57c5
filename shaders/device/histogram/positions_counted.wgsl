// An item is the position of an element, which is combined with others that have the same one: by atomics in work-group memory, and at the
// end in the output. A work-group has COPIES counters for each position, and its threads take them in turn. Positions past the end of the
// output are left out.
// In place of tally_items.wgsl, tally_*.wgsl, counters_*.wgsl and bins_*.wgsl. Linked with amount_weights.wgsl and an operator.
// Generated with it: combine_with_counter and combine_with_bin. Dispatch at most as many work-groups as there are tiles.

@group(0) @binding(16) var<storage, read_write> bins: array<atomic<Amount>>;
var<workgroup> counters: array<atomic<Amount>, COUNTERS>;

// Call in uniform control flow.
fn begin_tally(number: u32, thread: u32, length: u32) {
  for (var place = thread; place < COUNTERS; place += WORK_GROUP_SIZE) {
    atomicStore(&counters[place], identity());
  }
  workgroupBarrier();
}

fn tally_item(item: Input, index: u32, thread: u32) {
  if (item < call.room) {
    combine_with_counter(item * COPIES + thread % COPIES, amount_of(index));
  }
}

fn end_tally(thread: u32) {
}

// Call in uniform control flow.
fn add_counters(thread: u32) {
  workgroupBarrier();
  for (var bin = thread; bin < call.room; bin += WORK_GROUP_SIZE) {
    var total = identity();
    for (var copy = 0u; copy < COPIES; copy++) {
      // The threads of a subgroup take different copies first, which are in different banks of the memory.
      total = combine(total, atomicLoad(&counters[bin * COPIES + (bin + copy) % COPIES]));
    }
    if (total != identity()) {
      combine_with_bin(bin, total);
    }
  }
}
