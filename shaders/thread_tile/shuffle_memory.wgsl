// Takes values from other threads of a tile through work-group memory.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own result.
// Work-group memory: WORK_GROUP_SIZE values, reusable when the function returns.

var<workgroup> shuffle_values: array<Value, WORK_GROUP_SIZE>;

// The value of the thread at that place in the tile; the thread's own if there is none.
fn thread_tile_take(value: Value, rank: u32, local_index: u32) -> Value {
  shuffle_values[local_index] = value;
  workgroupBarrier();
  let source = local_index - local_index % THREAD_TILE + rank;
  var taken = value;
  if (rank < THREAD_TILE && source < WORK_GROUP_SIZE) {
    taken = shuffle_values[source];
  }
  workgroupBarrier();
  return taken;
}
