// Each column of a matrix goes from its last item to its first. Columns stay where they are. The data may end within a row.
// Linked with length_*.wgsl. Call from any control flow. No work-group memory.

// The caller's index of an item that the kernel has at this index, which is less than the length; and the other way round.
fn mirrored(index: u32) -> u32 {
  let length = data_length();
  let column = index % call.columns;
  let rows = length / call.columns + select(0u, 1u, column < length % call.columns);
  return (rows - 1u - index / call.columns) * call.columns + column;
}
