// The output is a buffer of whole vectors, from its start: what is written past the last item is nobody's. So the edge of
// store_prefixes.wgsl is as short as this.
// replaces: write_edge

@group(0) @binding(2) var<storage, read_write> output: array<OutputVector>;

fn write_vector(vector: u32, items: OutputVector) {
  output[vector] = items;
}

fn write_edge(vector: u32, length: u32, items: array<Output, VECTOR>) {
  if (vector * VECTOR < length) {
    write_vector(vector, output_vector(items));
  }
}
