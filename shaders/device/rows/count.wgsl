// The number of rows goes to a range of its own. A length on the GPU decides it.
// Linked with reduce_each_row.wgsl and length_*.wgsl.

@group(0) @binding(5) var<storage, read_write> row_count: array<u32>;

fn store_row_count(tile: u32, thread: u32) {
  if (tile == 0u && thread == 0u) {
    let length = data_length();
    row_count[call.count_base] = length / call.columns + select(0u, 1u, length % call.columns != 0u);
  }
}
