// Gives items that share words a word each, four items at a time.
// Linked with contract.wgsl, length_*.wgsl and a file of device/narrow. Dispatch at least one work-group for each tile, which has TILE times
// four items. Items past the last one hold anything. No work-group memory.

@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<vec4<u32>>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn widen_items(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let vector = tile * TILE + item * WORK_GROUP_SIZE + thread;
    if (tile < call.tiles && vector < (length + 3u) / 4u) {
      var wide: array<u32, 4>;
      for (var word = 0u; word < 4u / ITEMS_OF_WORD; word++) {
        let place = vector * (4u / ITEMS_OF_WORD) + word;
        if (place * ITEMS_OF_WORD < length) {
          let bits = input[call.input_base / ITEMS_OF_WORD + place];
          for (var at = 0u; at < ITEMS_OF_WORD; at++) { // unroll
            wide[word * ITEMS_OF_WORD + at] = value_in(bits, at * BITS);
          }
        }
      }
      output[vector] = vec4<u32>(wide[0], wide[1], wide[2], wide[3]);
    }
  }
}
