// Segments are rows of call.columns items.
// Linked with contract.wgsl. Call from any control flow. No work-group memory.

fn head_at(index: u32) -> u32 {
  return select(0u, 1u, index % call.columns == 0u);
}

// The heads of a vector of items. One division finds the first item's column.
fn heads_of_vector(first: u32) -> array<u32, VECTOR> {
  var heads: array<u32, VECTOR>;
  let column = first % call.columns;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    heads[item] = select(0u, 1u, column + item == 0u || column + item == call.columns);
  }
  if (call.columns < VECTOR) {
    for (var item = 0u; item < VECTOR; item++) { // unroll
      heads[item] = select(0u, 1u, (column + item) % call.columns == 0u);
    }
  }
  return heads;
}
