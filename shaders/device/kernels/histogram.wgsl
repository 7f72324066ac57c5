// Adds up what falls in each bin. Each work-group takes a tile after another, tiles that are as far apart as there are
// work-groups, and counts in counters of its own. At the end it adds these to the bins.
// Linked with contract.wgsl, an input, length_*.wgsl, bin_*.wgsl, tally_items.wgsl, amount_*.wgsl, tally_*.wgsl,
// counters_*.wgsl and bins_*.wgsl. The bins must be zero at the start. A sort and a selection have files of their own in place of
// tally_items.wgsl.
// begin_tally comes before a work-group's first tile. Dispatch any number of work-groups. A grid of several rows may have more than call.tiles; these add nothing.
// Work-group memory: that of the counters.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn histogram(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let number = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  let tiles = select(0u, last_tile(length) + 1u, length > 0u && number < call.tiles);
  if (number < call.tiles) {
    begin_tally(number, thread, length);
  }
  for (var tile = number; tile < tiles; tile += call.tiles) {
    tally_tile(tile, thread, length);
  }
  end_tally(thread);
  add_counters(thread);
}

fn tally_tile(tile: u32, thread: u32, length: u32) {
  let first = tile * (TILE / VECTOR) + thread;
  var items: array<array<Input, VECTOR>, VECTORS>;
  if ((tile + 1u) * TILE <= min(length, call.wide_length)) {
    // All loads come first, so that they are under way together.
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      items[vector] = input_items(read_vector(first + vector * WORK_GROUP_SIZE));
    }
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      for (var item = 0u; item < VECTOR; item++) { // unroll
        let index = (first + vector * WORK_GROUP_SIZE) * VECTOR + item;
        tally_item(items[vector][item], index, thread);
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) {
      let place = first + vector * WORK_GROUP_SIZE;
      var edge = read_edge(place, length);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        if (place * VECTOR + item < length) {
          tally_item(edge[item], place * VECTOR + item, thread);
        }
      }
    }
  }
}
