// Each row of call.columns items goes from its last item to its first. Rows stay where they are. The data may end within a row.
// Linked with length_*.wgsl. Call from any control flow. No work-group memory.

// The caller's index of an item that the kernel has at this index, which is less than the length; and the other way round.
fn mirrored(index: u32) -> u32 {
  let first = index - index % call.columns;
  return first + min(call.columns, data_length() - first) - 1u - (index - first);
}
