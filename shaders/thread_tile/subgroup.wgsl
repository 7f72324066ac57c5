// Thread tiles by subgroups. Each subgroup scans its part of each tile in registers. If a tile lies in several subgroups,
// its threads combine the totals of the parts. The last tile may be shorter.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix in its tile, and all of a tile get its total.
// Work-group memory: one element for each MIN_SUBGROUP_SIZE threads, one more and a word; reusable
// when a function returns.
// Linked after work_group/subgroup_shuffle.wgsl and work_group/subgroup_place.wgsl: if lanes do not map to threads in the
// usual way, threads take turns, one after another.

const_assert countOneBits(THREAD_TILE) == 1u;

struct ThreadTileScan {
  prefix: Element,
  total: Element,
}

// There is a slot for each MIN_SUBGROUP_SIZE threads. The part of a tile that lies in one subgroup uses the first of its
// slots.
var<workgroup> thread_tile_totals: array<Element, SUBGROUP_SLOTS>;
var<workgroup> thread_tile_turn: Element;

// The thread's place in the part of its tile that its subgroup holds.
fn thread_tile_rank(place: SubgroupPlace, local_index: u32) -> u32 {
  return min(place.rank, local_index % THREAD_TILE);
}

fn thread_tile_part_inclusive(element: Element, rank: u32) -> Element {
  var prefix = element;
  for (var distance = 1u; distance < min(THREAD_TILE, MAX_SUBGROUP_SIZE); distance <<= 1u) {
    let earlier = element_shuffle_up(prefix, distance);
    if (rank >= distance) {
      prefix = combine(earlier, prefix);
    }
  }
  return prefix;
}

// Publishes the totals of the parts. Returns the size of the subgroups, or 0 if lanes do not map to threads in the usual
// way. The result is uniform.
fn thread_tile_publish(place: SubgroupPlace, rank: u32, prefix: Element, local_index: u32) -> u32 {
  if (place.regular && THREAD_TILE > MIN_SUBGROUP_SIZE) {
    if (place.rank + 1u == place.count || (local_index + 1u) % THREAD_TILE == 0u) {
      thread_tile_totals[(local_index - rank) / MIN_SUBGROUP_SIZE] = prefix;
    }
  }
  return subgroup_size(place);
}

// One thread after another hands over its element. This is right however lanes map to threads.
fn thread_tile_take_turns(element: Element, local_index: u32) -> ThreadTileScan {
  var prefix = identity();
  var total = identity();
  for (var turn = 0u; turn < WORK_GROUP_SIZE; turn++) {
    if (local_index == turn) {
      prefix = total;
      thread_tile_turn = element;
    }
    workgroupBarrier();
    if (turn / THREAD_TILE == local_index / THREAD_TILE) {
      total = combine(total, thread_tile_turn);
    }
    workgroupBarrier();
  }
  return ThreadTileScan(prefix, total);
}

fn thread_tile_scan_exclusive(element: Element, local_index: u32) -> ThreadTileScan {
  let place = subgroup_place(local_index);
  let rank = thread_tile_rank(place, local_index);
  let inclusive = thread_tile_part_inclusive(element, rank);
  var prefix = element_shuffle_up(inclusive, 1u);
  if (rank == 0u) {
    prefix = identity();
  }
  // This total is right if the tile lies in one subgroup.
  let last = min(local_index | (THREAD_TILE - 1u), WORK_GROUP_SIZE - 1u);
  var total = element_shuffle(inclusive, min(place.rank + (last - local_index), place.count - 1u));
  let size = thread_tile_publish(place, rank, inclusive, local_index);
  if (size == 0u) {
    return thread_tile_take_turns(element, local_index);
  }
  if (THREAD_TILE > size) {
    // The tile lies in several subgroups: combine their totals, in order.
    let first = local_index - local_index % THREAD_TILE;
    var carry = identity();
    total = identity();
    for (var part = first; part <= last; part += size) {
      if (part == place.first) {
        carry = total;
      }
      total = combine(total, thread_tile_totals[part / MIN_SUBGROUP_SIZE]);
    }
    prefix = combine(carry, prefix);
    workgroupBarrier();
  }
  return ThreadTileScan(prefix, total);
}

fn thread_tile_scan_inclusive(element: Element, local_index: u32) -> ThreadTileScan {
  let scan = thread_tile_scan_exclusive(element, local_index);
  return ThreadTileScan(combine(scan.prefix, element), scan.total);
}

fn thread_tile_reduce(element: Element, local_index: u32) -> Element {
  return thread_tile_scan_inclusive(element, local_index).total;
}
