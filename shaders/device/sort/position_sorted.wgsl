// Items are in the order of positions that a sort has left. From then on, positions count from call.first_index.
// Linked with contract.wgsl. Call once for each index, from any control flow. No work-group memory.

@group(0) @binding(18) var<storage, read_write> reordered: array<u32>;

fn position_at(index: u32) -> u32 {
  let position = reordered[index];
  reordered[index] = position + call.first_index;
  return position;
}
