// Stores the prefixes of a thread's items.
// Linked with items.wgsl and what that lists, sum.wgsl and an output.
// Call from any control flow. No work-group memory.

// Stores what the prefixes are rounded to.
fn store_outputs(outputs: array<Output, ITEMS>, thread: u32, tile: u32, length: u32) {
  var all = outputs;
  let is_inside = (tile + 1u) * TILE <= min(length, call.wide_length);
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

// Rounds the prefixes in whole sums, and stores them. It reads the items again, vector by vector, each before it is written.
fn store_whole(tile: u32, thread: u32, length: u32, before: Element) {
  var sum = before;
  for (var vector = 0u; vector < VECTORS; vector++) {
    let place = vector_of(tile, thread, vector);
    var items = read_edge(place, length);
    var outputs: array<Output, VECTOR>;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let index = place * VECTOR + item;
      if (index < length) {
        let earlier = sum;
        sum = combine(sum, exact_from_parts(parts_from_float(float_from_element(element_from_item(items[item], index)))));
        outputs[item] = output_from_float(float_from_lead(exact_lead(select_prefix(earlier, sum))));
      }
    }
    write_edge(place, length, outputs);
  }
}
