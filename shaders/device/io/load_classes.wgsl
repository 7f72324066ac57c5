// Loads the items that one thread of a tile takes, and finds out their classes. Items past the end of the data are of the last class.
// Linked with subgroup.wgsl, an input of single items, and a file that declares class_of.
// Call from any control flow. No work-group memory.

var<private> own_items: array<Input, ITEMS>;

fn load_classes(tile: u32, thread: u32, length: u32) -> array<u32, ITEMS> {
  var classes: array<u32, ITEMS>;
  // All loads come before the first call of class_of, so that no load waits for another.
  if ((tile + 1u) * TILE <= min(length, call.wide_length)) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      own_items[item] = read_vector(vector_of(tile, thread, item));
    }
    for (var item = 0u; item < ITEMS; item++) { // unroll
      classes[item] = class_of(own_items[item], vector_of(tile, thread, item));
    }
  } else {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let index = vector_of(tile, thread, item);
      var edge = read_edge(index, length);
      own_items[item] = edge[0];
      classes[item] = CLASSES - 1u;
      if (index < length) {
        classes[item] = class_of(own_items[item], index);
      }
    }
  }
  return classes;
}
