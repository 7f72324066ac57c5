// Takes values from other threads of a tile by subgroup shuffles. If the tile lies in several subgroups, or if lanes do not
// map to threads in the usual way, values go through work-group memory.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own result.
// Work-group memory: a word, and a value; WORK_GROUP_SIZE values if a tile may lie in several subgroups. Reusable when the
// function returns.
// Linked after work_group/subgroup_shuffle.wgsl and work_group/subgroup_place.wgsl, with Value as the Element.

// If a tile never lies in several subgroups, threads take turns at one place: this is rare.
var<workgroup> shuffle_values: array<Value, SHUFFLE_PLACES>;

// The value of the thread at that place in the tile; the thread's own if there is none.
fn thread_tile_take(value: Value, rank: u32, local_index: u32) -> Value {
  let place = subgroup_place(local_index);
  let there = local_index - local_index % THREAD_TILE + rank;
  let source = select(local_index, there, rank < THREAD_TILE && there < WORK_GROUP_SIZE);
  // Places count from the subgroup's first thread. If they do not, the value is taken again below.
  var taken = element_shuffle(value, min(place.rank + source - local_index, place.count - 1u));
  if (subgroup_size(place) < THREAD_TILE) {
    for (var start = 0u; start < WORK_GROUP_SIZE; start += SHUFFLE_PLACES) {
      if (local_index - start < SHUFFLE_PLACES) {
        shuffle_values[local_index - start] = value;
      }
      workgroupBarrier();
      if (source - start < SHUFFLE_PLACES) {
        taken = shuffle_values[source - start];
      }
      workgroupBarrier();
    }
  }
  return taken;
}
