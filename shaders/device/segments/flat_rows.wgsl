// Where rows of call.columns items start among a thread's items. One division finds the column of the first item, and the others follow
// from it.
// Linked with scan_flat_segments.wgsl. Call from any control flow. No work-group memory.

// A bit for each item that starts a row. Items past the end of the data may have one, too: no item comes after them.
fn heads_of_thread(tile: u32, thread: u32, length: u32) -> u32 {
  let step = subgroup_count * VECTOR % call.columns;
  var column = vector_of(tile, thread, 0u) * VECTOR % call.columns;
  var heads = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    heads |= heads_from(column) << (vector * VECTOR);
    column += step;
    column = select(column, column - call.columns, column >= call.columns);
  }
  return heads;
}

fn heads_at(first: u32, length: u32) -> u32 {
  return heads_from(first % call.columns);
}

// A bit for each item of a vector that starts a row, from the column of the vector's first item.
fn heads_from(column: u32) -> u32 {
  if (call.columns >= VECTOR) {
    let next = select(call.columns - column, 0u, column == 0u);
    return select(0u, 1u << (next % 32u), next < VECTOR);
  }
  var heads = 0u;
  var own = column;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    heads |= select(0u, 1u << item, own == 0u);
    own = select(own + 1u, 0u, own + 1u == call.columns);
  }
  return heads;
}
