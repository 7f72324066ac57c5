// Stores the prefixes of items of 32 or 64 bytes by pairs of lanes. If each lane stored its whole item, neighbouring lanes would store
// vectors of 16 bytes that are 32 or 64 bytes apart, and a GPU's memory takes 32 bytes at a time. So the lanes of a pair exchange every
// other vector. Then the first lane has the first and third vectors of both items, the other lane has the rest, and both store
// neighbouring vectors at a time. Generated with it: ITEM_PAIRS, the pairs of vectors in an item.
// Linked with store_prefixes.wgsl, subgroup.wgsl, and output_vectors.wgsl or one_buffer_vectors.wgsl. All subgroups are full. Call in
// uniform control flow. No work-group memory.
// replaces: store_prefixes

const_assert VECTOR == 1u;

fn store_prefixes(tile: u32, thread: u32, length: u32, prefixes: array<Element, ITEMS>) {
  var own = prefixes;
  if ((tile + 1u) * TILE <= min(length, params.wide_length)) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let place = vector_of(tile, thread, item);
      var vectors = item_from_element(own[item]);
      for (var pair = 0u; pair < ITEM_PAIRS; pair++) { // unroll
        write_pair(place, 2u * pair, vectors[2u * pair], vectors[2u * pair + 1u]);
      }
    }
  } else {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      write_edge(vector_of(tile, thread, item), length, array<Output, 1>(item_from_element(own[item])));
    }
  }
}

// Stores two vectors of the lane's item, and two of its neighbour's. `first` is the number of the earlier one in its item.
fn write_pair(place: u32, first: u32, earlier: vec4<u32>, later: vec4<u32>) {
  let side = subgroup_rank & 1u;
  let is_second = side == 1u;
  let taken = subgroupShuffleXor(select(later, earlier, is_second), 1u);
  let item = params.output_base + place - side;
  output[item][first + side] = select(earlier, taken, is_second);
  output[item + 1u][first + side] = select(taken, later, is_second);
}
