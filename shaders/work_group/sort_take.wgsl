// Hands each thread the tile's values of given places. Thread t has the values t * ITEMS … t * ITEMS + ITEMS - 1 at first.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own values.
// Work-group memory: TILE values, reusable when the function returns.

var<workgroup> sort_values: array<Value, TILE>;

fn sort_take(values: ptr<function, array<Value, ITEMS>>, places: ptr<function, array<u32, ITEMS>>, local_index: u32) {
  for (var item = 0u; item < ITEMS; item++) { // unroll
    sort_values[local_index * ITEMS + item] = (*values)[item];
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    (*values)[item] = sort_values[(*places)[item]];
  }
  workgroupBarrier();
}
