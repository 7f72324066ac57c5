// The bins of a sort's digits, of which there are two sets that take turns: while the passes of a sort read one, its first pass sets the
// other to zero for the next sort. The tickets and the entries of the tiles, which no work-group of this dispatch reads, are set to
// zero here. So no dispatch before this one clears anything. A new spine is all zero.
// Each digit of an item's key has bins of its own.
// Linked with histogram.wgsl, digits.wgsl, tally_each.wgsl and amount_one.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(16) var<storage, read_write> bins: array<atomic<u32>>;

// Where the bins that this dispatch adds to start. Read early, the load is done when the counters are added up.
var<private> first_bin: u32;

fn begin_tally(number: u32, thread: u32, length: u32) {
  first_bin = atomicLoad(&bins[NEXT_BINS]) * BINS;
  if (number == 0u && thread == 0u) {
    atomicStore(&bins[COUNTED_BINS], atomicLoad(&bins[NEXT_BINS]));
  }
  let tiles = (length + PARTS * SHARE - 1u) / (PARTS * SHARE);
  for (var word = FIRST_TICKET + number * WORK_GROUP_SIZE + thread; word < FIRST_ENTRY + tiles * RADIX; word += call.tiles * WORK_GROUP_SIZE) {
    atomicStore(&bins[word], 0u);
  }
}

fn tally_item(item: Input, index: u32, thread: u32) {
  let key = key_of(output_from_input(item));
  for (var digit = 0u; digit < DIGITS; digit++) { // unroll
    tally(digit * RADIX + digit_of(key, digit), amount_of(index), thread);
  }
}

fn add_to_bin(bin: u32, amount: Amount) {
  atomicAdd(&bins[first_bin + bin], amount);
}
