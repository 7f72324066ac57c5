// How a work-group takes rows: call.row_length items each, and each combined on its own. A tile has
// call.tile_items items at most. It has as many whole rows as fit; or, if a row is longer, a part of one row.
// Linked with contract.wgsl, an input, and a file that declares row_items_end(): where the data ends.
// Call from any control flow. No work-group memory.

struct RowTile {
  // The first row, and the index of the first item.
  row: u32,
  first: u32,
  // The index after the last item.
  end: u32,
}

fn row_tile(tile: u32) -> RowTile {
  let items = row_items_end();
  if (has_whole_rows()) {
    let row = tile * tile_rows();
    let first = row * call.row_length;
    return RowTile(row, first, min(first + tile_rows() * call.row_length, items));
  }
  let parts = (call.row_length + call.tile_items - 1u) / call.tile_items;
  let row = tile / parts;
  let first = row * call.row_length + tile % parts * call.tile_items;
  return RowTile(row, first, min(min(first + call.tile_items, (row + 1u) * call.row_length), items));
}

// Whether tiles have whole rows.
fn has_whole_rows() -> bool {
  return call.tile_items >= call.row_length;
}

// The rows of a tile. It is 1 if a tile has a part of a row.
fn tile_rows() -> u32 {
  return max(call.tile_items / call.row_length, 1u);
}

// The element of an item, or the identity for an item that is not the tile's.
fn row_element(item: Input, index: u32, own: RowTile) -> Element {
  if (index >= own.first && index < own.end) {
    return element_from_item(item, index);
  }
  return identity();
}

// Whether rows start at vectors.
fn rows_have_vectors() -> bool {
  return call.row_length % VECTOR == 0u;
}

// Whether a tile has whole vectors, and all of them are bound as vectors.
fn has_whole_vectors(own: RowTile) -> bool {
  return own.first % VECTOR == 0u && own.end % VECTOR == 0u && own.first < own.end && own.end <= call.wide_length;
}

// Whether all vectors of a tile can be read at once, and all their items are the tile's.
fn is_whole_tile(own: RowTile) -> bool {
  return own.end - own.first == TILE && own.first % VECTOR == 0u && own.end <= call.wide_length;
}
