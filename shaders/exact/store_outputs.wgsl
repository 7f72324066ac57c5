// Stores what a thread's prefixes are rounded to.
// Linked with store_prefixes.wgsl of device/io/, whose functions for vectors it calls. Call from any control flow. No work-group memory.

fn store_outputs(outputs: array<Output, ITEMS>, thread: u32, tile: u32, length: u32) {
  var all = outputs;
  let is_inside = (tile + 1u) * TILE <= min(length, params.wide_length);
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let place = vector_of(tile, thread, vector);
    var own: array<Output, VECTOR>;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      own[item] = all[vector * VECTOR + item];
    }
    if (is_inside) {
      write_vector(place, output_vector(own));
    } else {
      write_edge(place, length, own);
    }
  }
}
