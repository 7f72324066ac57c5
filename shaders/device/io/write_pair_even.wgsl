// The vectors of a pair of lanes, stored by both, where a vector has an even number of parts. Of the parts 2 * pair and 2 * pair + 1, the
// first lane stores the former of both vectors, and the other lane the latter. Generated with it: PART_PAIRS, half the number of parts.
// Linked with store_by_pairs.wgsl, subgroup.wgsl, and output_vectors.wgsl or one_buffer_vectors.wgsl. Call in uniform control flow. No
// work-group memory.

fn write_pair(vector: u32, parts: OutputVector) {
  var own = parts;
  let side = subgroup_rank & 1u;
  let is_second = side == 1u;
  let first = call.output_base + vector - side;
  for (var pair = 0u; pair < PART_PAIRS; pair++) { // unroll
    let earlier = own[2u * pair];
    let later = own[2u * pair + 1u];
    let taken = subgroupShuffleXor(select(later, earlier, is_second), 1u);
    output[first][2u * pair + side] = select(earlier, taken, is_second);
    output[first + 1u][2u * pair + side] = select(taken, later, is_second);
  }
}
