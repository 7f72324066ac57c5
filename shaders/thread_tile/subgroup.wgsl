// Thread tiles by subgroups: each subgroup scans its part of each tile in registers; a tile that lies
// in several subgroups adds up the totals of the parts. The last tile may be shorter.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix in its tile, and all of a tile get its total.
// Work-group memory: one element for each MIN_SUBGROUP_SIZE threads, one more and a word; reusable
// when a function returns.
// Linked after work_group/subgroup_contract.wgsl and work_group/subgroup_place.wgsl: where lanes do
// not map to threads in the usual way, threads take their turns one after another.

const_assert countOneBits(THREAD_TILE) == 1u;

struct ThreadTileScan {
  prefix: Element,
  total: Element,
}

// A slot holds the elements of MIN_SUBGROUP_SIZE threads. A longer part of a tile uses the first of its slots.
const THREAD_TILE_SLOTS = (WORK_GROUP_SIZE + MIN_SUBGROUP_SIZE - 1u) / MIN_SUBGROUP_SIZE;

var<workgroup> thread_tile_totals: array<Element, THREAD_TILE_SLOTS>;
var<workgroup> thread_tile_turn: Element;
var<workgroup> thread_tile_irregular: atomic<u32>;

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

// Publishes the parts' totals, and returns whether all subgroups are regular (a uniform value).
fn thread_tile_publish(place: SubgroupPlace, rank: u32, prefix: Element, local_index: u32) -> bool {
  if (!place.regular) {
    atomicStore(&thread_tile_irregular, 1u);
  } else if (THREAD_TILE > MIN_SUBGROUP_SIZE) {
    if (local_index % MIN_SUBGROUP_SIZE == 0u && rank != 0u) {
      thread_tile_totals[local_index / MIN_SUBGROUP_SIZE] = identity();
    }
    if (place.rank + 1u == place.count || (local_index + 1u) % THREAD_TILE == 0u) {
      thread_tile_totals[(local_index - rank) / MIN_SUBGROUP_SIZE] = prefix;
    }
  }
  return workgroupUniformLoad(&thread_tile_irregular) == 0u;
}

// One thread after another hands over its element: right under any map of lanes to threads.
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
  // A tile of at most MIN_SUBGROUP_SIZE threads lies in one subgroup.
  let last = min(local_index | (THREAD_TILE - 1u), WORK_GROUP_SIZE - 1u);
  var total = element_shuffle(inclusive, min(place.rank + (last - local_index), place.count - 1u));
  if (!thread_tile_publish(place, rank, inclusive, local_index)) {
    return thread_tile_take_turns(element, local_index);
  }
  if (THREAD_TILE > MIN_SUBGROUP_SIZE) {
    let own = (local_index - rank) / MIN_SUBGROUP_SIZE;
    let first = (local_index - local_index % THREAD_TILE) / MIN_SUBGROUP_SIZE;
    var carry = identity();
    total = identity();
    for (var slot = first; slot <= last / MIN_SUBGROUP_SIZE; slot++) {
      if (slot == own) {
        carry = total;
      }
      total = combine(total, thread_tile_totals[slot]);
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
