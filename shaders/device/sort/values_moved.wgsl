// Each key has a value, which goes where its key goes. The values take the way of the keys through work-group memory.
// Linked with a file that declares read_value, a rank_by_*.wgsl and memory.wgsl. Call in uniform control flow.

@group(0) @binding(18) var<storage, read_write> reordered: array<Value>;

fn write_value(index: u32, value: Value) {
  reordered[call.reordered_base + index] = value;
}

var<private> own_values: array<Value, ITEMS>;

// Loads the values of the thread's items. A pass does so before it waits for other tiles.
fn load_values(tile: u32, thread: u32, length: u32) {
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let index = place_of(tile, thread, item);
    if (index < length) {
      own_values[item] = read_value(index);
    }
  }
}

// Moves the values of a part to the places of their keys in the output, when the keys are stored. The tile has `own` items.
fn move_values(
  part: u32,
  own: u32,
  thread: u32,
  given_ranks: array<u32, ITEMS>,
  given_places: array<u32, SHARE_ITEMS>,
) {
  var ranks = given_ranks;
  var places = given_places;
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = ranks[item] - part * SHARE;
    if (PARTS == 1u || place < SHARE) {
      put_value(place, own_values[item]);
    }
  }
  workgroupBarrier();
  for (var item = 0u; item < SHARE_ITEMS; item++) { // unroll
    let at = item * WORK_GROUP_SIZE + thread;
    if (part * SHARE + at < own) {
      write_value(places[item], take_value(at));
    }
  }
}
