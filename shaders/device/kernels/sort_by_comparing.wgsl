// Sorts short data by comparing. Each work-group puts OWN items of its own in order, and then searches the keys of all other items among
// them. So it knows how many items come before each of its own, which is the item's place in the output. All work-groups work at the same
// time, and none waits for another. Equal items keep their order.
// Linked with contract.wgsl, select/keys.wgsl, a sort/segment_values_*.wgsl, a sort/store_*keys.wgsl, input_items.wgsl, output_items.wgsl
// and length_*.wgsl. Generated with it: key_bits, the bits of keys that count. OWN is a power of 2 and at most WORK_GROUP_SIZE, of which
// CHUNKS is the multiple, and ITEMS is 1. Dispatch at least call.tiles work-groups. Those past the last tile write nothing. The input and
// the output have no item in common.
// Work-group memory: two keys and three words for each item of its own.

const NO_ITEM = 0xffffffffu;

// The keys of the work-group's own items, as they lie in the data, and in order.
var<workgroup> own_keys: array<Key, OWN>;
var<workgroup> sorted_keys: array<Key, OWN>;

// How many of its own items come before each of them; then, by places among them: how many others come right before that place, and how
// many before it in all.
var<workgroup> own_places: array<atomic<u32>, OWN>;
var<workgroup> others_at: array<atomic<u32>, OWN>;
var<workgroup> others_before: array<atomic<u32>, OWN>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn sort_by_comparing(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  if (tile * OWN >= length) {
    return;
  }
  let first = tile * OWN;
  let own = thread % OWN;
  let chunk = thread / OWN;
  // The first OWN threads move an item each. What is past the end of the data comes behind all items.
  var item: Output;
  var indices = array<u32, ITEMS>(select(NO_ITEM, first + own, chunk == 0u && first + own < length));
  var own_key = ~Key();
  if (indices[0] != NO_ITEM) {
    item = output_from_input(read_item(first + own));
    own_key = key_of(item) & key_bits();
  }
  load_segment_values(indices);
  var keys = keys_from(thread, length);
  if (chunk == 0u) {
    own_keys[own] = own_key;
  }
  workgroupBarrier();

  own_key = own_keys[own];
  var count = 0u;
  for (var other = chunk; other < OWN; other += CHUNKS) {
    count += select(0u, 1u, comes_first(own_keys[other], own_key, other < own));
  }
  atomicAdd(&own_places[own], count);
  workgroupBarrier();
  if (chunk == 0u) {
    sorted_keys[atomicLoad(&own_places[own])] = own_key;
  }
  workgroupBarrier();

  for (var start = thread; start < length; start += AT_ONCE * WORK_GROUP_SIZE) {
    if (start != thread) {
      keys = keys_from(start, length);
    }
    for (var turn = 0u; turn < AT_ONCE; turn++) { // unroll
      let index = start + turn * WORK_GROUP_SIZE;
      let place = own_before(keys[turn], index > first);
      // Its own items are in order already.
      if (place < OWN && index < length && index - first >= OWN) {
        atomicAdd(&others_at[place], 1u);
      }
    }
  }
  workgroupBarrier();

  count = 0u;
  for (var place = chunk; place <= own; place += CHUNKS) {
    count += atomicLoad(&others_at[place]);
  }
  atomicAdd(&others_before[own], count);
  workgroupBarrier();
  if (indices[0] != NO_ITEM) {
    let place = atomicLoad(&own_places[own]);
    indices[0] = place + atomicLoad(&others_before[place]);
    store_key(indices[0], item);
  }
  store_segment_values(indices);
}

// The keys of several items, one for each work-group's width from one on. What is past the end of the data has the last item's key.
fn keys_from(start: u32, length: u32) -> array<Key, AT_ONCE> {
  var keys: array<Key, AT_ONCE>;
  for (var turn = 0u; turn < AT_ONCE; turn++) { // unroll
    let index = min(start + turn * WORK_GROUP_SIZE, length - 1u);
    keys[turn] = key_of(output_from_input(read_item(index))) & key_bits();
  }
  return keys;
}

// Whether an item comes before another one. If their keys are equal, the earlier one does.
fn comes_first(key: Key, other: Key, is_earlier: bool) -> bool {
  return select(comes_before(key, other), !comes_before(other, key), is_earlier);
}

// How many of the work-group's own items come before another item, which is behind them in the data or before them.
fn own_before(key: Key, is_behind: bool) -> u32 {
  var place = 0u;
  for (var step = OWN / 2u; step > 0u; step >>= 1u) {
    place += select(0u, step, comes_first(sorted_keys[place + step - 1u], key, is_behind));
  }
  return place + select(0u, 1u, comes_first(sorted_keys[place], key, is_behind));
}
