// Columns of several matrices that lie one behind another, each of call.row_length rows of call.columns items. As in chunks.wgsl, a
// thread takes the run of items that one column has in one chunk. Threads that follow one another take the columns of all matrices in
// order, and then those of the next chunk of each.
// Linked with contract.wgsl. Call from any control flow. No work-group memory.

struct ColumnRun {
  // The index of the run's first item.
  first: u32,
  // How many items it has. It is 0 for threads past the last run.
  count: u32,
}

// The columns of all matrices. The last matrix may be cut off.
fn column_count() -> u32 {
  let items = call.row_length * call.columns;
  return (call.length + items - 1u) / items * call.columns;
}

// The run at a place: the number of the thread among all threads.
fn run_at(place: u32, length: u32) -> ColumnRun {
  let all = column_count();
  let items = call.row_length * call.columns;
  let before = place % all / call.columns * items;
  let column = place % call.columns;
  let first_row = place / all * call.chunk_rows;
  // The data may end within a row.
  let own = min(length - min(length, before), items);
  let rows = own / call.columns + select(0u, 1u, column < own % call.columns);
  return ColumnRun(
    before + first_row * call.columns + column,
    min(rows - min(rows, first_row), call.chunk_rows),
  );
}

// The place of a run's carry. Nothing comes above the runs of the first chunk, as before the first tile.
fn carry_place(place: u32) -> u32 {
  return select(place, 0u, place < column_count());
}
