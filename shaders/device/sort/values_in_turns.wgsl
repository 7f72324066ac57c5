// Values of two words, which take turns in work-group memory when a pass moves them.
// Linked with values_moved.wgsl. Call in uniform control flow.
// replaces: move_values

// Moves the values to the places of their keys in the output, when the keys are stored.
fn move_values(
  tile: u32,
  thread: u32,
  given_ranks: array<u32, ITEMS>,
  given_places: array<u32, ITEMS>,
  length: u32,
) {
  var ranks = given_ranks;
  var places = given_places;
  var moved: array<Value, ITEMS>;
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    put_word(ranks[item], own_values[item].x);
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    moved[item].x = take_word(item * WORK_GROUP_SIZE + thread);
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    put_word(ranks[item], own_values[item].y);
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    moved[item].y = take_word(item * WORK_GROUP_SIZE + thread);
    let at = item * WORK_GROUP_SIZE + thread;
    if (tile * TILE + at < length) {
      reordered[params.reordered_base + places[item]] = moved[item];
    }
  }
}
