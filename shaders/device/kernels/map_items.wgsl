// Maps items. What an item becomes may depend on items at the same index in other ranges, and on its neighbours.
// Linked with contract.wgsl, an input, an output, length_*.wgsl, and mapped_item, which is generated.
// Dispatch at least one work-group for each tile. Threads past the last item store nothing. No work-group memory.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn map_items(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  let first = tile * (TILE / VECTOR) + thread;
  if (tile >= call.tiles) {
    return;
  }
  if ((tile + 1u) * TILE <= min(length, call.wide_length)) {
    var items: array<array<Input, VECTOR>, VECTORS>;
    var results: array<array<Output, VECTOR>, VECTORS>;
    // All loads come before the first store, so that they are under way together.
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      items[vector] = input_items(read_vector(first + vector * WORK_GROUP_SIZE));
    }
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      for (var item = 0u; item < VECTOR; item++) { // unroll
        let index = (first + vector * WORK_GROUP_SIZE) * VECTOR + item;
        results[vector][item] = mapped_item(items[vector][item], index, length);
      }
    }
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      write_vector(first + vector * WORK_GROUP_SIZE, output_vector(results[vector]));
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = first + vector * WORK_GROUP_SIZE;
      var items = read_edge(place, length);
      var results: array<Output, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        let index = place * VECTOR + item;
        if (index < length) {
          results[item] = mapped_item(items[item], index, length);
        }
      }
      write_edge(place, length, results);
    }
  }
}
