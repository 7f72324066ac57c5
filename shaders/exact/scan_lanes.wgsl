// A tile of exact sums of f16 in a single pass, by subgroups. Each thread adds up consecutive items in fixed point, and lanes scan the
// sums. What a sum has seen goes from thread to thread by votes. So one barrier is enough until the total is handed on, and threads keep
// their items until they know what comes before these.
// Call in uniform control flow.
// Linked with items.wgsl, run.wgsl, fixed.wgsl and what that lists, halves.wgsl, store_each.wgsl and store_outputs.wgsl; with subgroup.wgsl and
// subgroup_ballot.wgsl of device/tiles/. All subgroups must be full, and there must be as many lanes as subgroups.
// Work-group memory: that of subgroup.wgsl.
// replaces: vector_of, TileScan, begin_scan, before_run, total_of_tile, store_prefixes

// All lanes of a subgroup take the same branches here, but compilers do not know that.
diagnostic(off, subgroup_uniformity);

// The digits of scan_lanes have room for this.
const_assert TILE <= 16384u;
const_assert SUBGROUP_SLOTS <= MIN_SUBGROUP_SIZE;

// A thread takes consecutive items.
fn vector_of(tile: u32, thread: u32, vector: u32) -> u32 {
  return (tile * WORK_GROUP_SIZE + thread) * VECTORS + vector;
}

// What comes before each subgroup in the tile.
var<workgroup> before_subgroups: array<Element, SUBGROUP_SLOTS>;

struct TileScan {
  // What comes before the thread's run in its subgroup.
  before: Element,
  // The first subgroup has it, which hands it on.
  total: Element,
}

// What a lane adds: its sum, and what that has seen but -0.
struct Lane {
  sum: Fixed,
  seen: u32,
}

// What comes before each lane, and all lanes' total. The sums go in two digits, of 24 bits and of the rest, so that they do not carry.
fn scan_lanes(own: Lane) -> TileScan {
  let highest = subgroupBallot((own.seen & EXACT_SEEN_HIGHEST) != 0u);
  let lowest = subgroupBallot((own.seen & EXACT_SEEN_LOWEST) != 0u);
  let others = subgroupBallot((own.seen & EXACT_SEEN_OTHERS) != 0u);
  let earlier = lanes_before(subgroup_lane);
  var sum = own.sum;
  let low = sum[0] & 0xffffffu;
  let high = (sum[1] << 8u) | (sum[0] >> 24u);
  let low_sum = subgroupInclusiveAdd(low);
  let high_sum = subgroupInclusiveAdd(high);
  let last = subgroup_count - 1u;
  return TileScan(
    element_from_digits(low_sum - low, high_sum - high, seen_by(highest & earlier, lowest & earlier, others & earlier, subgroup_rank > 0u)),
    element_from_digits(subgroupShuffle(low_sum, last), subgroupShuffle(high_sum, last), seen_by(highest, lowest, others, true)),
  );
}

fn element_from_digits(low: u32, high: u32, seen: u32) -> Element {
  let sum = fixed_add(Fixed(low, 0u), Fixed(high << 24u, bitcast<u32>(bitcast<i32>(high) >> 8u)));
  return Element(sum[0], sum[1], (sign_of(sum[1]) & ~EXACT_SEEN) | seen);
}

// What these lanes have seen. Items of which none is anything but -0 are -0.
fn seen_by(highest: vec4<u32>, lowest: vec4<u32>, others: vec4<u32>, has_items: bool) -> u32 {
  let none = vec4<u32>();
  let seen = select(0u, EXACT_SEEN_HIGHEST, any(highest != none)) | select(0u, EXACT_SEEN_LOWEST, any(lowest != none)) |
    select(0u, EXACT_SEEN_OTHERS, any(others != none));
  return select(seen, EXACT_SEEN_MINUS_ZERO, seen == 0u && has_items);
}

// What comes before the thread's run in its subgroup. The subgroup's total is in memory after this. Sums that are no numbers have any units.
fn scan_run(items: Items) -> Element {
  var own = items.bits;
  let most = greatest_key(items);
  var others = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    others |= own[item] ^ FLOAT_NOTHING;
  }
  // -0 is of no account where there is anything else.
  var flags = select(EXACT_SEEN_OTHERS, 0u, others == 0u);
  if (most >> KEY_FRACTION == KEY_MOST) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      flags |= parts_from_float(own[item]).seen;
    }
  }
  let scan = scan_lanes(Lane(fixed_add_run(Fixed(), own, 0u, most), flags));
  put_total(scan.total);
  return scan.before;
}

// Puts a subgroup's total into memory.
fn put_total(total: Element) {
  if (subgroup_rank == 0u) {
    subgroup_totals[subgroup_number] = total;
  }
  workgroupBarrier();
}

// What comes before each subgroup, for the lane of its number, and the tile's total. For one subgroup.
fn scan_totals() -> TileScan {
  var own: Element;
  if (subgroup_rank < number_of_subgroups()) {
    own = subgroup_totals[subgroup_rank];
  }
  return scan_lanes(Lane(Fixed(own[0], own[1]), own[2] & EXACT_SEEN));
}

// Computes the tile's total, and what comes before each thread's run.
fn begin_scan(items: Items, thread: u32) -> TileScan {
  var scan = TileScan(scan_run(items), identity());
  if (subgroup_number == 0u) {
    let totals = scan_totals();
    // Of no items, it is of nothing.
    if (items.length > 0u) {
      scan.total = totals.total;
    }
    if (subgroup_rank < SUBGROUP_SLOTS) {
      before_subgroups[subgroup_rank] = totals.before;
    }
  }
  return scan;
}

// The total of any tile. It reads one vector after another, which is slow, but takes few registers.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  var own = Lane();
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(tile, thread, vector);
    var items = read_edge(place, length);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (place * VECTOR + item < length) {
        let bits = float_from_element(element_from_item(items[item], place * VECTOR + item));
        own.sum = fixed_add(own.sum, fixed_from_float(bits, 0u));
        own.seen |= parts_from_float(bits).seen | select(EXACT_SEEN_OTHERS, 0u, is_minus_zero(bits));
      }
    }
  }
  put_total(scan_lanes(own).total);
  var total = identity();
  if (subgroup_number == 0u) {
    total = scan_totals().total;
  }
  return total;
}

fn greatest_key(items: Items) -> u32 {
  var own = items.bits;
  var most = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    most = max(most, key_of_float(own[item]));
  }
  return most;
}

fn before_run(scan: TileScan) -> Element {
  return scan.before;
}

// Rounds and stores a thread's prefixes. Where these may be -0 or no numbers, it goes on in whole sums.
fn store_prefixes(tile: u32, thread: u32, length: u32, run: Run) {
  if (!has_items(tile, thread, length)) {
    return;
  }
  var before = combine(run.before, before_subgroups[subgroup_number]);
  let most = greatest_key(run.items);
  if ((before[2] & EXACT_SEEN_OTHERS) == 0u || most >> KEY_FRACTION == KEY_MOST) {
    store_whole(tile, thread, length, before);
    return;
  }
  // What is no number stays so.
  if ((before[2] & (EXACT_SEEN_HIGHEST | EXACT_SEEN_LOWEST)) != 0u) {
    let bits = float_from_lead(exact_lead(before, 0u), 0u);
    var outputs: array<Output, ITEMS>;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      outputs[item] = output_from_float(bits);
    }
    store_outputs(outputs, thread, tile, length);
    return;
  }
  // From a start that fixed point has no room for, no prefix of the run is finite. So any other such start will do.
  let high = bitcast<i32>(before[2] << 4u) >> 4u;
  var start = Fixed(before[0], before[1]);
  if (high != bitcast<i32>(before[1]) >> 31u) {
    start = Fixed(0u, select(0x7fffffffu, 0x80000000u, high < 0));
  }
  if (!store_swift(run.items, thread, tile, length, start, 0u, 0u, most)) {
    store_whole(tile, thread, length, before);
  }
}
