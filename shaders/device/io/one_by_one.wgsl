// Items one by one, in loops: each is read where it is combined and once more where it is stored, so that no thread holds
// an array of them, and none over a barrier. Where items are long, a software adapter's compiler takes a fraction of the
// time, and the results are no later.
// Linked with portable.wgsl, load_items.wgsl and an input of single items. Call from any control flow. No work-group memory.

// The combination of a thread's items.
fn sum_of_items(tile: u32, thread: u32, length: u32) -> Element {
  let first = vector_of(tile, thread, 0u);
  var sum = element_at(first, length);
  for (var item = 1u; item < ITEMS; item++) {
    sum = combine(sum, element_at(first + item, length));
  }
  return sum;
}

// Past the end of the data, the identity.
fn element_at(index: u32, length: u32) -> Element {
  if (index < length) {
    return load_element(index);
  }
  return identity();
}
