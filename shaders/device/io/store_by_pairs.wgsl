// Stores prefixes by pairs of lanes, where an output vector has several parts of 16 bytes. If each lane stored its whole vector,
// neighbouring lanes would store parts that are a vector apart, and a GPU's memory takes 32 bytes at a time. So the lanes of a pair
// exchange parts, until each has every other part of both vectors. Then both store neighbouring parts at a time.
// Linked in place of store_prefixes.wgsl, with subgroup.wgsl, write_pair_even.wgsl or write_pair_of_three.wgsl, and output_vectors.wgsl or
// one_buffer_vectors.wgsl. All subgroups are full. Call in uniform control flow. No work-group memory.

fn store_prefixes(tile: u32, thread: u32, length: u32, prefixes: array<Element, ITEMS>) {
  var own = prefixes;
  // Where results replace the items, a lane stores what its neighbour has read. A barrier of work-group memory does not order that.
  storageBarrier();
  if ((tile + 1u) * TILE <= min(length, call.wide_length)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var whole: array<Output, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        whole[item] = item_from_element(own[vector * VECTOR + item]);
      }
      write_pair(vector_of(tile, thread, vector), output_vector(whole));
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var edge: array<Output, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        edge[item] = item_from_element(own[vector * VECTOR + item]);
      }
      write_edge(vector_of(tile, thread, vector), length, edge);
    }
  }
}
