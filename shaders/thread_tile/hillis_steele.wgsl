// Thread tiles without subgroups. In each run of THREAD_TILE consecutive threads, a thread's element is combined with the
// one 1, 2, 4 … places before it. The last run may be shorter.
// log2(THREAD_TILE) steps, one barrier a step.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix in its tile, and all of a tile get its total.
// Work-group memory: 2 * WORK_GROUP_SIZE elements, reusable when a function returns.

const_assert countOneBits(THREAD_TILE) == 1u;

struct ThreadTileScan {
  prefix: Element,
  total: Element,
}

// Two sides, written in turn, so that one barrier separates a step's reads from its writes.
var<workgroup> thread_tile_elements: array<Element, 2u * WORK_GROUP_SIZE>;

// Leaves the inclusive prefixes in one side, and returns where that side starts.
fn thread_tile_prefixes(element: Element, local_index: u32) -> u32 {
  let rank = local_index % THREAD_TILE;
  var side = 0u;
  var prefix = element;
  thread_tile_elements[local_index] = prefix;
  workgroupBarrier();
  for (var distance = 1u; distance < THREAD_TILE; distance <<= 1u) {
    if (rank >= distance) {
      prefix = combine(thread_tile_elements[side + local_index - distance], prefix);
    }
    side = WORK_GROUP_SIZE - side;
    thread_tile_elements[side + local_index] = prefix;
    workgroupBarrier();
  }
  return side;
}

fn thread_tile_last(local_index: u32) -> u32 {
  return min(local_index | (THREAD_TILE - 1u), WORK_GROUP_SIZE - 1u);
}

fn thread_tile_scan_inclusive(element: Element, local_index: u32) -> ThreadTileScan {
  let side = thread_tile_prefixes(element, local_index);
  let prefix = thread_tile_elements[side + local_index];
  let total = thread_tile_elements[side + thread_tile_last(local_index)];
  workgroupBarrier();
  return ThreadTileScan(prefix, total);
}

fn thread_tile_scan_exclusive(element: Element, local_index: u32) -> ThreadTileScan {
  let side = thread_tile_prefixes(element, local_index);
  var prefix = identity();
  if (local_index % THREAD_TILE > 0u) {
    prefix = thread_tile_elements[side + local_index - 1u];
  }
  let total = thread_tile_elements[side + thread_tile_last(local_index)];
  workgroupBarrier();
  return ThreadTileScan(prefix, total);
}

fn thread_tile_reduce(element: Element, local_index: u32) -> Element {
  return thread_tile_scan_inclusive(element, local_index).total;
}
