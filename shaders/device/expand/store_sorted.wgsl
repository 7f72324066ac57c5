// Stores an item of a run: the one that a sort has put at the item's rank, and its position. A run has the results of a segment: run n + 1 those of
// segment n, and run 0 none. The sort has put the positions of each segment in order, from where the segment begins.
// Linked with expand_runs.wgsl and number_of_run.wgsl.

@group(0) @binding(1) var<storage, read> input: array<Input>;
@group(0) @binding(2) var<storage, read_write> output: array<Output>;
@group(0) @binding(17) var<storage, read> begins: array<u32>;
@group(0) @binding(18) var<storage, read_write> indices: array<u32>;
@group(0) @binding(19) var<storage, read> positions: array<u32>;

fn write_item(index: u32, run: u32) {
  let rank = index - run_end(run - 1u);
  let position = positions[begins[run - 1u] + rank];
  output[call.output_base + index] = input[call.input_base + position];
  indices[call.indices_base + index] = position + call.first_index;
}
