// Sorts short data by comparing each item with all others: its place is the number of those that come before it. Equal ones keep their
// order. Each work-group has all keys in its memory, and finds the places of OWN items of its own. CHUNKS threads compare one item, each
// with a part of the keys. So all work-groups sort at the same time, and none waits for another.
// Linked with contract.wgsl, sort/keys_in_vectors.wgsl and what it is linked with, a sort/segment_values_*.wgsl, a sort/store_*keys.wgsl,
// input_items.wgsl, output_items.wgsl and length_*.wgsl. ITEMS is 1. Dispatch at least params.tiles work-groups. Those past the last
// tile write nothing. The input and the output have no item in common.
// Work-group memory: that of sort/keys_in_vectors.wgsl, and a word for each item of its own.

const NO_ITEM = 0xffffffffu;

var<workgroup> places: array<atomic<u32>, OWN>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn sort_by_comparing(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * params.grid_width + work_group.x;
  if (tile >= params.tiles) {
    return;
  }
  let length = data_length();
  let first = tile * OWN;
  let own = thread % OWN;
  let index = first + own;
  // One thread of those that compare an item moves it.
  var item: Output;
  var indices = array<u32, ITEMS>(select(NO_ITEM, index, thread < OWN && index < length));
  if (indices[0] != NO_ITEM) {
    item = output_from_input(read_item(index));
  }
  load_segment_values(indices);
  load_keys(thread, length);
  workgroupBarrier();

  let key = key_at(index % KEYS);
  let vectors = (length + VECTOR_KEYS - 1u) / VECTOR_KEYS;
  let share = (vectors + CHUNKS - 1u) / CHUNKS;
  let start = thread / OWN * share;
  let end = min(start + share, vectors);
  let own_start = first / VECTOR_KEYS;
  let own_end = own_start + OWN / VECTOR_KEYS;
  // Keys before those of the work-group's own items come first if they are equal, and keys behind them last.
  var place = 0u;
  for (var vector = start; vector < min(end, own_start); vector++) {
    place += keys_up_to(all_keys[vector], key);
  }
  for (var vector = max(start, own_start); vector < min(end, own_end); vector++) {
    place += keys_around(all_keys[vector], key, vector * VECTOR_KEYS, index);
  }
  for (var vector = max(start, own_end); vector < end; vector++) {
    place += keys_before(all_keys[vector], key);
  }
  atomicAdd(&places[own], place);
  workgroupBarrier();
  if (indices[0] != NO_ITEM) {
    indices[0] = atomicLoad(&places[own]);
    store_key(indices[0], item);
  }
  store_segment_values(indices);
}
