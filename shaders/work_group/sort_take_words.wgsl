// sort_take.wgsl for values of 32 bits. They move through the words that the keys moved through.
// Linked after sort_places.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own values.
// Work-group memory: that of sort_places.wgsl, reusable when the function returns.

fn sort_take(values: ptr<function, array<Value, ITEMS>>, places: ptr<function, array<u32, ITEMS>>, local_index: u32) {
  for (var item = 0u; item < ITEMS; item++) { // unroll
    sort_words[sort_slot(local_index * ITEMS + item)] = bitcast<u32>((*values)[item]);
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    (*values)[item] = bitcast<Value>(sort_words[sort_slot((*places)[item])]);
  }
  workgroupBarrier();
}
