// Columns of a matrix whose rows lie one after another, each of call.columns items. The rows are cut into chunks of
// call.chunk_rows. A thread takes the run of items that one column has in one chunk. Threads that follow one another take
// the columns in order, and then those of the next chunk. So they load items side by side.
// Call from any control flow. No work-group memory.

struct ColumnRun {
  // The index of the run's first item.
  first: u32,
  // How many items it has. It is 0 for threads past the last run.
  count: u32,
}

// The run at a place: the number of the thread among all threads.
fn run_at(place: u32, length: u32) -> ColumnRun {
  let column = place % call.columns;
  let first_row = place / call.columns * call.chunk_rows;
  // The data may end within a row.
  let rows = length / call.columns + select(0u, 1u, column < length % call.columns);
  return ColumnRun(first_row * call.columns + column, min(rows - min(rows, first_row), call.chunk_rows));
}

// The place of a run's carry. Nothing comes above the runs of the first chunk, as before the first tile.
fn carry_place(place: u32) -> u32 {
  return select(place, 0u, place < call.columns);
}
