// The items of a tile of exact sums. Each thread keeps its items as floats' bits, and combines them later.
// Linked in place of load_items.wgsl of device/io/, with tile.wgsl or reduce.wgsl, float_items.wgsl or double_items.wgsl, and an input. Call
// from any control flow. No work-group memory.

// The items of a thread, as floats' bits, and where they are.
struct Items {
  bits: array<FloatBits, ITEMS>,
  tile: u32,
  length: u32,
}

// Past the end of the data, items are −0, which changes a sum only if it is of nothing.
fn load_items(tile: u32, thread: u32, length: u32) -> Items {
  var own: Items;
  own.tile = tile;
  own.length = length;
  if ((tile + 1u) * TILE <= min(length, call.wide_length)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = vector_of(tile, thread, vector);
      var items = input_items(read_vector(place));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        own.bits[vector * VECTOR + item] = float_from_element(element_from_item(items[item], place * VECTOR + item));
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = vector_of(tile, thread, vector);
      var items = read_edge(place, length);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        own.bits[vector * VECTOR + item] = FLOAT_NOTHING;
        if (place * VECTOR + item < length) {
          own.bits[vector * VECTOR + item] = float_from_element(element_from_item(items[item], place * VECTOR + item));
        }
      }
    }
  }
  return own;
}

// Whether the thread has an item. Its first place has one if any has.
fn has_items(tile: u32, thread: u32, length: u32) -> bool {
  return vector_of(tile, thread, 0u) * VECTOR < length;
}
