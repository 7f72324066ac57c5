// Finds a thread's place in its subgroup, and whether the work-group's lanes map to threads in the usual way.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own place. Work-group memory: a word.
//
// WGSL promises nothing about how lanes map to local_invocation_index. In the usual map, consecutive threads are in
// consecutive lanes, and all subgroups but the last have the same size. Each call verifies this, which costs two votes and
// two shuffles.

enable subgroups;
struct SubgroupPlace {
  // The thread's place among its subgroup's threads, and their number.
  rank: u32,
  count: u32,
  // The local index of the subgroup's first thread.
  first: u32,
  // Whether the subgroup's threads are consecutive, in lanes counted from 0, and no more than MAX_SUBGROUP_SIZE.
  regular: bool,
}

fn subgroup_place(local_index: u32) -> SubgroupPlace {
  let first = subgroupBroadcastFirst(local_index);
  // Lane 0 holds the first thread, and each other lane the thread after its neighbour's.
  let previous = subgroupShuffleUp(local_index, 1u);
  let in_order = local_index == first || previous + 1u == local_index;
  let lanes = subgroupBallot(true);
  let bits = countOneBits(lanes);
  let count = bits.x + bits.y + bits.z + bits.w;
  // The highest active lane is count - 1 exactly when the active lanes are 0 … count - 1.
  var highest = firstLeadingBit(lanes.x);
  if (lanes.y != 0u) {
    highest = 32u + firstLeadingBit(lanes.y);
  }
  if (lanes.z != 0u) {
    highest = 64u + firstLeadingBit(lanes.z);
  }
  if (lanes.w != 0u) {
    highest = 96u + firstLeadingBit(lanes.w);
  }
  let regular = subgroupAll(in_order) && highest + 1u == count && count <= MAX_SUBGROUP_SIZE;
  return SubgroupPlace(local_index - first, count, first, regular);
}

// Sizes of subgroups as bits, since a size is a power of two. The lower half has the sizes of all subgroups but the last.
// The upper half has the least size that holds the last subgroup.
var<workgroup> subgroup_sizes: atomic<u32>;

// The size of all subgroups but the last, which may be smaller. It is 0 if lanes do not map to threads in the usual way.
// The result is uniform. This waits for all threads, and afterwards they see what any of them wrote to work-group memory
// before.
fn subgroup_size(place: SubgroupPlace) -> u32 {
  let is_last = place.first + place.count == WORK_GROUP_SIZE;
  let holds = 1u << (32u - countLeadingZeros(place.count - 1u));
  if (!place.regular) {
    atomicOr(&subgroup_sizes, 0xffffffffu);
  } else if (place.rank == 0u) {
    let is_size = place.count == holds && place.count >= MIN_SUBGROUP_SIZE;
    atomicOr(&subgroup_sizes, select(select(0xffffffffu, place.count, is_size), holds << 16u, is_last));
  }
  let all = workgroupUniformLoad(&subgroup_sizes);
  let sizes = all & 0xffffu;
  if (sizes == 0u) {
    // The last subgroup is the only one.
    return max(WORK_GROUP_SIZE, MIN_SUBGROUP_SIZE);
  }
  return select(0u, sizes, countOneBits(sizes) == 1u && (all >> 16u) <= sizes);
}
