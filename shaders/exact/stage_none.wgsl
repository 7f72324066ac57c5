// Items and prefixes that do not go through work-group memory: each thread loads and stores its own, which are next to each other. It has
// the functions of stage.wgsl.
// Linked with prefixes.wgsl. Call from any control flow. No work-group memory.

fn take_items(tile: u32, thread: u32, length: u32) -> Items {
  return load_items(tile, thread, length);
}

fn stage_nothing(thread: u32) {
}

fn store_bits(outputs: array<FloatBits, ITEMS>, thread: u32, tile: u32, length: u32) {
  var all = outputs;
  let is_inside = (tile + 1u) * TILE <= min(length, params.wide_length);
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let place = vector_of(tile, thread, vector);
    var own: array<FloatBits, VECTOR>;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      own[item] = all[vector * VECTOR + item];
    }
    if (is_inside) {
      write_vector(place, vector_of_bits(own));
    } else {
      var edge: array<Output, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        edge[item] = output_from_float(own[item]);
      }
      write_edge(place, length, edge);
    }
  }
}

fn store_staged(thread: u32, tile: u32, length: u32) {
}
