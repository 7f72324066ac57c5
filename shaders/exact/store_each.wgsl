// Rounds the prefixes of a thread's items in whole sums, and stores them, one after another. It is slow, but takes few registers: for kernels
// that seldom come here.
// Linked with items.wgsl and what that lists, sum.wgsl, and store_prefixes.wgsl of device/io/, whose functions for vectors it calls.
// Call from any control flow. No work-group memory.

fn store_whole(tile: u32, thread: u32, length: u32, before: Element) {
  let first = vector_of(tile, thread, 0u) * VECTOR;
  var sum = before;
  for (var index = first; index < min(length, first + ITEMS); index++) {
    let vector = index / VECTOR;
    var items = read_edge(vector, length);
    let earlier = sum;
    sum = combine(sum, exact_from_parts(parts_from_float(float_from_element(element_from_item(items[index % VECTOR], index))), 0u));
    let output = output_from_float(float_from_lead(exact_lead(select_prefix(earlier, sum), 0u), 0u));
    if ((vector + 1u) * VECTOR <= params.wide_length) {
      var outputs = output_items(read_output_vector(vector));
      outputs[index % VECTOR] = output;
      write_vector(vector, output_vector(outputs));
    } else {
      write_end_item(index, output);
    }
  }
}
