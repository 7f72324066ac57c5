// No range receives the number of rows.
// Linked with reduce_each_row.wgsl.

fn store_row_count(tile: u32, thread: u32) {
}
