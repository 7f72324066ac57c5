// Items of f64, and their prefixes, go through work-group memory, so that neighbouring threads load and store neighbouring items.
// Linked with tiles.wgsl and prefixes.wgsl. VECTOR is 1. Work-group memory: that of tiles.wgsl. A thread's items take 2 * ITEMS words
// of its place, and the next word says whether its prefixes are there.

const STAGED = 2u * ITEMS;
const_assert STAGED < EXACT_WORDS;

fn take_items(tile: u32, thread: u32, length: u32) -> Items {
  var own: Items;
  own.tile = tile;
  own.length = length;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let at = item * WORK_GROUP_SIZE + thread;
    let index = tile * TILE + at;
    var bits = FLOAT_NOTHING;
    if (index < length) {
      bits = float_from_element(element_from_item(read_edge(index, length)[0], index));
    }
    exact_memory[at / ITEMS][2u * (at % ITEMS)] = bits.x;
    exact_memory[at / ITEMS][2u * (at % ITEMS) + 1u] = bits.y;
  }
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    own.bits[item] = vec2<u32>(exact_memory[thread][2u * item], exact_memory[thread][2u * item + 1u]);
  }
  workgroupBarrier();
  return own;
}

fn stage_nothing(thread: u32) {
  exact_memory[thread][STAGED] = 0u;
}

fn store_bits(outputs: array<FloatBits, ITEMS>, thread: u32, tile: u32, length: u32) {
  var own = outputs;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    exact_memory[thread][2u * item] = own[item].x;
    exact_memory[thread][2u * item + 1u] = own[item].y;
  }
  exact_memory[thread][STAGED] = 1u;
}

// Stores the prefixes that threads left in memory. Call in uniform control flow.
fn store_staged(thread: u32, tile: u32, length: u32) {
  workgroupBarrier();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let at = item * WORK_GROUP_SIZE + thread;
    let index = tile * TILE + at;
    if (index < length && exact_memory[at / ITEMS][STAGED] == 1u) {
      let bits = vec2<u32>(exact_memory[at / ITEMS][2u * (at % ITEMS)], exact_memory[at / ITEMS][2u * (at % ITEMS) + 1u]);
      write_edge(index, length, array<Output, VECTOR>(output_from_float(bits)));
    }
  }
  workgroupBarrier();
}
