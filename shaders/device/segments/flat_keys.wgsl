// Where runs of equal keys start among a thread's items. The key before a vector is that of the lane before. The first lane takes the last
// lane's of the row before, and of the first row loads it.
// Linked with scan_flat_segments.wgsl, flat_heads_one_by_one.wgsl, keys.wgsl, load_keys.wgsl and key_vectors.wgsl, for keys of one word. Call
// in uniform control flow. No work-group memory.

// A bit for each item that starts a segment.
fn heads_of_thread(tile: u32, thread: u32, length: u32) -> u32 {
  var own = load_keys(tile, thread, length);
  var heads = 0u;
  let run = (vector_of(tile, thread, 0u) - subgroup_rank) * VECTOR;
  var last = key_before(min(run, length));
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let first = vector_of(tile, thread, vector) * VECTOR;
    let shuffled = subgroupShuffle(
      own[vector * VECTOR + VECTOR - 1u],
      (subgroup_lane + subgroup_count - 1u) % subgroup_count,
    );
    var before = select(shuffled, last, subgroup_rank == 0u);
    last = shuffled;
    var starts = select(0u, 1u, first == 0u);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let key = own[vector * VECTOR + item];
      starts |= select(1u << item, 0u, is_same_key(before, key));
      before = key;
    }
    heads |= starts << (vector * VECTOR);
  }
  return heads & items_of_data(tile, thread, length);
}

// A bit for each of the thread's items that lies before the end of the data.
fn items_of_data(tile: u32, thread: u32, length: u32) -> u32 {
  if ((tile + 1u) * TILE <= length) {
    return 0xffffffffu;
  }
  var found = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let first = vector_of(tile, thread, vector) * VECTOR;
    found |= ((1u << min(max(length, first) - first, VECTOR)) - 1u) << (vector * VECTOR);
  }
  return found;
}
