// Stores the prefixes of the items that one thread of a tile takes.
// Linked with contract.wgsl, portable.wgsl or subgroup.wgsl, and an output.
// Call from any control flow. No work-group memory.

fn store_prefixes(tile: u32, thread: u32, length: u32, prefixes: array<Element, ITEMS>) {
  var own = prefixes;
  var items: array<Output, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    items[item] = item_from_element(own[item]);
  }
  // One branch goes around all vectors. A branch around each vector takes more registers.
  if ((tile + 1u) * TILE <= min(length, call.wide_length)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var whole: array<Output, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        whole[item] = items[vector * VECTOR + item];
      }
      write_vector(vector_of(tile, thread, vector), output_vector(whole));
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var edge: array<Output, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        edge[item] = items[vector * VECTOR + item];
      }
      write_edge(vector_of(tile, thread, vector), length, edge);
    }
  }
}
