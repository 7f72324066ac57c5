// Reads and writes vectors that may reach past the end of the data.
// Linked with each input and output but input_padded.wgsl and output_padded.wgsl, which have these functions themselves.
// Call from any control flow. No work-group memory.

// Reads a vector that may reach past the end of the data, or past the last vector of the wide binding. A vector that lies past the end is
// not read.
fn read_edge(vector: u32, length: u32) -> array<Input, VECTOR> {
  var items: array<Input, VECTOR>;
  let first = vector * VECTOR;
  if (first < length && first + VECTOR <= call.wide_length) {
    items = input_items(read_vector(vector));
  } else {
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (first + item < length) {
        items[item] = read_end_item(first + item);
      }
    }
  }
  return items;
}

// Writes a vector that may reach past the end of the data, or past the last vector of the wide binding. No other thread
// reads or writes that vector, so what lies past the end is written back as it was.
fn write_edge(vector: u32, length: u32, items: array<Output, VECTOR>) {
  var own = items;
  let first = vector * VECTOR;
  if (first + VECTOR <= call.wide_length) {
    if (first < length) {
      var kept = output_items(read_output_vector(vector));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        if (first + item < length) {
          kept[item] = own[item];
        }
      }
      write_vector(vector, output_vector(kept));
    }
  } else {
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (first + item < length) {
        write_end_item(first + item, own[item]);
      }
    }
  }
}
