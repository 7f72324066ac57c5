// The input's items share words. It is a range of its own buffer, and starts at a word. A vector has whole words, or one item.
// Linked with edges.wgsl and a file of device/narrow, whichever way the output lies. Call from any control flow. No work-group memory.
// replaces: read_edge

@group(0) @binding(1) var<storage, read> input: array<u32>;

fn read_item(index: u32) -> Input {
  let bits = input[(call.input_base + index) / ITEMS_OF_WORD];
  return bitcast<Input>(value_in(bits, index % ITEMS_OF_WORD * BITS));
}

fn read_vector(vector: u32) -> InputVector {
  let word = (call.input_base + vector * VECTOR) / ITEMS_OF_WORD;
  // Where a vector has whole words, this is 0, and compilers see which items share a load.
  let first = vector * (VECTOR % ITEMS_OF_WORD);
  var items: array<Input, VECTOR>;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    let place = (first + item) % ITEMS_OF_WORD * BITS;
    items[item] = bitcast<Input>(value_in(input[word + item / ITEMS_OF_WORD], place));
  }
  return input_vector(items);
}

fn read_edge(vector: u32, length: u32) -> array<Input, VECTOR> {
  var items: array<Input, VECTOR>;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    if (vector * VECTOR + item < length) {
      items[item] = read_item(vector * VECTOR + item);
    }
  }
  return items;
}
