// Stores the prefixes of items that are in segments. What the output has for items in gaps stays: such prefixes have an odd number of heads.
// Linked in place of io/store_prefixes.wgsl, with element.wgsl, portable.wgsl or subgroup.wgsl, and an output.
// Call from any control flow. No work-group memory.

fn store_prefixes(tile: u32, thread: u32, length: u32, prefixes: array<Element, ITEMS>) {
  var own = prefixes;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let place = vector_of(tile, thread, vector);
    let first = place * VECTOR;
    // A bit for each item that is stored.
    var stored = 0u;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let is_stored = first + item < length && own[vector * VECTOR + item].heads % 2u == 0u;
      stored |= select(0u, 1u << item, is_stored);
    }
    if (stored != 0u && first + VECTOR <= call.wide_length) {
      // No other thread reads or writes the vector.
      var kept: array<Output, VECTOR>;
      if (stored != (1u << VECTOR) - 1u) {
        kept = output_items(read_output_vector(place));
      }
      for (var item = 0u; item < VECTOR; item++) { // unroll
        if ((stored & (1u << item)) != 0u) {
          kept[item] = item_from_element(own[vector * VECTOR + item]);
        }
      }
      write_vector(place, output_vector(kept));
    } else if (stored != 0u) {
      for (var item = 0u; item < VECTOR; item++) { // unroll
        if ((stored & (1u << item)) != 0u) {
          write_end_item(first + item, item_from_element(own[vector * VECTOR + item]));
        }
      }
    }
  }
}
