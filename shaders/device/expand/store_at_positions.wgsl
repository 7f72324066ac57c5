// Stores the number of each item's run at the item's position. No two items have the same.

@group(0) @binding(2) var<storage, read_write> output: array<Output>;
@group(0) @binding(19) var<storage, read> positions: array<u32>;

fn write_item(index: u32, run: u32) {
  output[call.output_base + positions[call.positions_base + index]] = run;
}
