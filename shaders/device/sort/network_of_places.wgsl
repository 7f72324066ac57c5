// Sorts the slots of a tile by a network of comparisons: by their keys, and equal keys by their places.
// Linked with sort/network.wgsl and select/keys.wgsl. Generated with it: sort_slots, and the functions that compare a thread's items.
// Call in uniform control flow. Work-group memory: a key and a word for each item, and for one item in 16 more.

// The keys, and the places before the sort. All their bits are turned around in runs of falling order.
var<private> network_keys: array<Key, ITEMS>;
var<private> network_places: array<u32, ITEMS>;

var<workgroup> exchanged_keys: array<Key, EXCHANGE_WORDS>;
var<workgroup> exchanged_places: array<u32, EXCHANGE_WORDS>;

// Each thread gives the items whose places differ from one bit on, and gets those whose places differ from another bit on.
fn exchange(old_bit: u32, new_bit: u32, thread: u32) {
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let word = exchange_word(place_from(old_bit, item, thread));
    exchanged_keys[word] = network_keys[item];
    exchanged_places[word] = network_places[item];
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let word = exchange_word(place_from(new_bit, item, thread));
    network_keys[item] = exchanged_keys[word];
    network_places[item] = exchanged_places[word];
  }
}

fn turn(mask: u32) {
  for (var item = 0u; item < ITEMS; item++) { // unroll
    network_keys[item] ^= Key(mask);
    network_places[item] ^= mask;
  }
}

// The places to which the items of a thread go, given their keys. Item n of a thread is at n * WORK_GROUP_SIZE + thread.
fn sorted_places(thread: u32) -> array<u32, ITEMS> {
  for (var item = 0u; item < ITEMS; item++) { // unroll
    network_places[item] = item * WORK_GROUP_SIZE + thread;
  }
  sort_slots(thread);
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    exchanged_places[exchange_word(network_places[item])] = thread * ITEMS + item;
  }
  workgroupBarrier();
  var places: array<u32, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    places[item] = exchanged_places[exchange_word(item * WORK_GROUP_SIZE + thread)];
  }
  return places;
}
