// The result of a reduction is its total.
// Linked with reduce_tiles.wgsl, reduce_single_pass.wgsl, reduce_columns.wgsl or reduce_each_row.wgsl, which store it.

fn result_of(total: Element) -> Element {
  return total;
}
