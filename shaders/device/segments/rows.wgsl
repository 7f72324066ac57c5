// Segments are rows of params.columns items.
// Linked with contract.wgsl. Call from any control flow. No work-group memory.

fn head_at(index: u32) -> u32 {
  return select(0u, 1u, index % params.columns == 0u);
}

// The heads of a vector of items. One division finds the first item's column.
fn heads_of_vector(first: u32) -> array<u32, VECTOR> {
  var heads: array<u32, VECTOR>;
  let column = first % params.columns;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    heads[item] = select(0u, 1u, column + item == 0u || column + item == params.columns);
  }
  if (params.columns < VECTOR) {
    for (var item = 0u; item < VECTOR; item++) { // unroll
      heads[item] = select(0u, 1u, (column + item) % params.columns == 0u);
    }
  }
  return heads;
}
