// Finds how many items of the input come before each tile of the merged order of two sorted ranges. All others that come before it are of the
// other range. Of equal items, those of the input come first.
// Linked with contract.wgsl, input_items.wgsl, length_*.wgsl, merge/other.wgsl, a merge/other_*.wgsl, a select/keys*.wgsl and a total_*.wgsl.
// Generated with it: key_from_item. TILE is that of the kernels that merge tiles. It writes the lengths of both ranges, and then a word for the
// start of each tile and the end of the last one. There is room for a word for each thread that is dispatched. If a range is in no order, the
// words mean nothing, and no one is more than the length of the input.
// Dispatch at least one work-group for each WORK_GROUP_SIZE words. Those past the last one that is needed write nothing. No work-group memory.
// Source: Green, McColl, Bader, "GPU Merge Path: A GPU Merging Algorithm", ICS 2012.

@group(0) @binding(16) var<storage, read_write> splits: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn split_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let group = work_group.y * call.grid_width + work_group.x;
  if (group >= call.tiles) {
    return;
  }
  let length = data_length();
  let other = other_length();
  let number = group * WORK_GROUP_SIZE + thread;
  if (number == 0u) {
    splits[0] = length;
    splits[1] = other;
    store_total(length + other);
  }
  // The place in the merged order. The product has no place in a word for the words that nobody needs.
  let total = length + other;
  var place = total;
  if (number <= total / TILE) {
    place = number * TILE;
  }
  splits[2u + number] = own_before(place, length, other);
}

// How many of the first items of the merged order are of the input.
fn own_before(place: u32, length: u32, other: u32) -> u32 {
  var low = place - min(place, other);
  var high = min(place, length);
  while (low < high) {
    var middle = low + (high - low) / 2u;
    // Searches of other tiles read the same places, until few items are left.
    if (high - low > 2u * TILE) {
      middle -= middle % TILE;
    }
    if (comes_before(key_from_item(read_other(place - 1u - middle)), key_from_item(read_item(middle)))) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  return low;
}
