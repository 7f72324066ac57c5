// The shuffles that a caller's own kernel calls: CUDA's shfl, shfl_up, shfl_down and shfl_xor over a thread_block_tile. Each
// thread gets the value of another thread of its tile. A shuffle and a broadcast take the source modulo the tile's size. If the source of
// the others is outside the tile, a thread gets its own value. It also does if the work-group ends before the source, in its last tile.
// Linked after shuffle_memory.wgsl or shuffle_subgroup.wgsl; linking puts the tile's size and the type into each name, as in
// thread_tile_8_shuffle_up_u32.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own result.
// Work-group memory: that of the file linked before.

// The value of the thread at the place `source` in the tile, modulo the tile's size.
fn thread_tile_shuffle_value(value: Value, source: u32, local_index: u32) -> Value {
  return thread_tile_take(value, source % THREAD_TILE, local_index);
}

// The same, if the source is the same in all threads of a tile.
fn thread_tile_broadcast_value(value: Value, source: u32, local_index: u32) -> Value {
  return thread_tile_take(value, source % THREAD_TILE, local_index);
}

// The value of the thread `distance` places before.
fn thread_tile_shuffle_up_value(value: Value, distance: u32, local_index: u32) -> Value {
  let rank = local_index % THREAD_TILE;
  return thread_tile_take(value, select(rank - distance, rank, distance > rank), local_index);
}

// The value of the thread `distance` places after.
fn thread_tile_shuffle_down_value(value: Value, distance: u32, local_index: u32) -> Value {
  return thread_tile_take(value, local_index % THREAD_TILE + min(distance, THREAD_TILE), local_index);
}

// The value of the thread whose place is this one's, xor the mask.
fn thread_tile_shuffle_xor_value(value: Value, mask: u32, local_index: u32) -> Value {
  return thread_tile_take(value, (local_index % THREAD_TILE) ^ mask, local_index);
}
