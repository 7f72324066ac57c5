// The values of segments that are sorted in a tile. They take the way of the keys through work-group memory.
// Linked with values_moved.wgsl and what it is linked with. Call in uniform control flow.

// Loads the values of the thread's items.
fn load_segment_values(given_indices: array<u32, ITEMS>) {
  var indices = given_indices;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (indices[item] != NO_ITEM) {
      own_values[item] = read_value(indices[item]);
    }
  }
}

fn exchange_segment_values(thread: u32, given_ranks: array<u32, ITEMS>) {
  var ranks = given_ranks;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    put_value(ranks[item], own_values[item]);
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    own_values[item] = take_value(place_of(0u, thread, item));
  }
  workgroupBarrier();
}

// Stores the values of the thread's places.
fn store_segment_values(given_indices: array<u32, ITEMS>) {
  var indices = given_indices;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (indices[item] != NO_ITEM) {
      reordered[call.reordered_base + indices[item]] = own_values[item];
    }
  }
}
