// The key before each of a thread's keys: that of the lane before. The first lane takes the last lane's of the row before, and
// of the first row loads it.
// Linked with run_lengths.wgsl, for keys that a subgroup can shuffle. Call in uniform control flow, row after row. No work-group
// memory.

// In the first lane: the last lane's key of the row before.
var<private> last_key_before: Key;

fn begin_keys(first: u32) {
  if (first > 0u) {
    last_key_before = key_at(first - 1u);
  }
}

fn key_before(index: u32, own: Key) -> Key {
  let shuffled = subgroupShuffle(own, (subgroup_lane + subgroup_count - 1u) % subgroup_count);
  let before = select(shuffled, last_key_before, subgroup_rank == 0u);
  last_key_before = shuffled;
  return before;
}
