// Sorts the slots of a tile by a network of comparisons: keys alone, of which equal ones cannot be told apart.
// Linked with sort/network.wgsl and select/keys.wgsl. Generated with it: sort_slots, and the functions that compare a thread's items.
// Call in uniform control flow. Work-group memory: a key for each item, and for one item in 16 more.

// All their bits are turned around in runs of falling order.
var<private> network_keys: array<Key, ITEMS>;

var<workgroup> exchanged_keys: array<Key, EXCHANGE_WORDS>;

// Each thread gives the items whose places differ from one bit on, and gets those whose places differ from another bit on.
fn exchange(old_bit: u32, new_bit: u32, thread: u32) {
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let word = exchange_word(place_from(old_bit, item, thread));
    exchanged_keys[word] = network_keys[item];
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let word = exchange_word(place_from(new_bit, item, thread));
    network_keys[item] = exchanged_keys[word];
  }
}

fn turn(mask: u32) {
  for (var item = 0u; item < ITEMS; item++) { // unroll
    network_keys[item] ^= Key(mask);
  }
}
