// Each column of several matrices goes from its last item to its first. Matrices of call.row_length rows of call.columns items lie one
// behind another, and columns stay where they are. The data may end within a row.
// Linked with length_*.wgsl. Call from any control flow. No work-group memory.

// The caller's index of an item that the kernel has at this index, which is less than the length; and the other way round.
fn mirrored(index: u32) -> u32 {
  let items = call.row_length * call.columns;
  let before = index - index % items;
  let own = min(data_length() - before, items);
  let column = index % call.columns;
  let rows = own / call.columns + select(0u, 1u, column < own % call.columns);
  return before + (rows - 1u - (index - before) / call.columns) * call.columns + column;
}
