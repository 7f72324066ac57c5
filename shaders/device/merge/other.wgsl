// The items of the other range. Those of the first one are the input.
// Call from any control flow. No work-group memory.

@group(0) @binding(14) var<storage, read> sorted: array<Input>;

fn read_other(index: u32) -> Input {
  return sorted[call.sorted_base + index];
}
