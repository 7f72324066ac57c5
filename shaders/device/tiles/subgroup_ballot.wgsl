// How votes of a subgroup's lanes are counted. Linked with contract.wgsl. Call from any control flow. No work-group memory.

fn count_votes(votes: vec4<u32>) -> u32 {
  let counts = countOneBits(votes);
  if (MAX_SUBGROUP_SIZE <= 32u) {
    return counts.x;
  }
  return counts.x + counts.y + counts.z + counts.w;
}

// A bit for each lane whose number is lower than `lane`.
fn lanes_before(lane: u32) -> vec4<u32> {
  if (MAX_SUBGROUP_SIZE <= 32u) {
    return vec4<u32>((1u << lane) - 1u, 0u, 0u, 0u);
  }
  let first = vec4<u32>(0u, 32u, 64u, 96u);
  let lanes = max(vec4<u32>(lane), first) - first;
  return select((vec4<u32>(1u) << (lanes & vec4<u32>(31u))) - 1u, vec4<u32>(~0u), lanes >= vec4<u32>(32u));
}
