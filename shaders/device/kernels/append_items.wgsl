// Copies what one window of a compaction kept from scratch to its place in the output, behind what the windows before it kept.
// The output's binding has as many items as a window, from call.first_place on. Only items with a place there are copied.
// `counts` has the number of items that this window kept, and then, for each window, how many the windows before it kept.
// Linked with contract.wgsl, input_items.wgsl and output_items.wgsl.
// Dispatch at least one work-group for each tile of a window. No work-group memory.

@group(0) @binding(3) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn append_items(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let start = tile * TILE;
  let own = min(call.length, counts[0]);
  var before = 0u;
  if (call.window > 0u) {
    before = counts[1u + call.window];
  }
  if (start < own && has_places(before + start, before + min(start + TILE, own))) {
    // All items are read before the first one is written. Otherwise each read would wait for the write before it, since the two
    // bindings might share memory.
    var items: array<Input, ITEMS>;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      items[item] = read_item(min(start + local_index + item * WORK_GROUP_SIZE, own - 1u));
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let index = start + local_index + item * WORK_GROUP_SIZE;
      let place = before + index;
      if (index < own && place >= call.first_place && place - call.first_place < call.length) {
        write_item(place - call.first_place, items[item]);
      }
    }
  }
  if (start + local_index == 0u) {
    counts[2u + call.window] = before + own;
  }
}

// Whether some of the places from `first` to `end` are in the output's binding.
fn has_places(first: u32, end: u32) -> bool {
  return end > call.first_place && (first < call.first_place || first - call.first_place < call.length);
}
