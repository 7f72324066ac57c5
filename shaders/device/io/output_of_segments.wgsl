// The output has the totals of segments with gaps, which take turns with the gaps: of two places one is stored.
// Linked with output_items.wgsl. Call from any control flow. No work-group memory.
// replaces: write_item

fn write_item(index: u32, item: Output) {
  if (index % 2u == 0u) {
    output[call.output_base + index / 2u] = item;
  }
}
