// Packs items of a word each into words that they share. A thread writes whole words. What follows the last item in its word stays.
// Linked with contract.wgsl, and a file of device/io that declares items_to_copy. Dispatch at least one work-group for each tile, which has
// TILE words of the output. No work-group memory.

@group(0) @binding(1) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn pack_items(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let count = items_to_copy();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let word = tile * TILE + item * WORK_GROUP_SIZE + thread;
    let first = word * ITEMS_OF_WORD;
    if (tile < call.tiles && first < count) {
      let vector = input[first / 4u];
      var bits = 0u;
      for (var at = 0u; at < ITEMS_OF_WORD; at++) { // unroll
        bits = insertBits(bits, vector[first % 4u + at], at * BITS, BITS);
      }
      let place = call.output_base / ITEMS_OF_WORD + word;
      if (count - first < ITEMS_OF_WORD) {
        bits = insertBits(output[place], bits, 0u, (count - first) * BITS);
      }
      output[place] = bits;
    }
  }
}
