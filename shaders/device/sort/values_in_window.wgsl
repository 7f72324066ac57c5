// What receives values is a window of longer data, as that of sort/output_in_window.wgsl. Linked with values_moved.wgsl. Call from any
// control flow. No work-group memory.
// replaces: write_value

fn write_value(index: u32, value: Value) {
  let place = index - params.first_place;
  if (place < WINDOW) {
    reordered[params.reordered_base + place] = value;
  }
}
