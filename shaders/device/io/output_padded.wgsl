// The output is a whole buffer of whole vectors. Nobody reads what is written past the last item, so this write_edge is
// shorter than that of edges.wgsl.

@group(0) @binding(2) var<storage, read_write> output: array<OutputVector>;

fn write_vector(vector: u32, items: OutputVector) {
  output[vector] = items;
}

fn write_edge(vector: u32, length: u32, items: array<Output, VECTOR>) {
  if (vector * VECTOR < length) {
    write_vector(vector, output_vector(items));
  }
}
