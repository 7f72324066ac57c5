// The vectors of a pair of lanes, stored by both, where a vector, OutputVector, has three parts. Of the six parts, the first lane stores
// the first, third and fifth. So the lanes exchange the middle parts of their vectors.
// Linked with store_by_pairs.wgsl, subgroup.wgsl, and output_vectors.wgsl or one_buffer_vectors.wgsl. Call in uniform control flow. No
// work-group memory.

fn write_pair(vector: u32, parts: OutputVector) {
  var own = parts;
  let side = subgroup_rank & 1u;
  let is_second = side == 1u;
  let first = call.output_base + vector - side;
  let taken = subgroupShuffleXor(own[1], 1u);
  output[first][side] = select(own[0], taken, is_second);
  output[first + side][2u - 2u * side] = select(own[2], own[0], is_second);
  output[first + 1u][1u + side] = select(taken, own[2], is_second);
}
