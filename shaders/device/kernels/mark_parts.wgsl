// Writes two bits for each item, and for the place behind the last one, which say where segments and gaps start: part_heads.wgsl reads
// them. Each thread takes a word, which has the bits of 16 items.
// Linked with contract.wgsl, parts.wgsl and length_*.wgsl. Dispatch at least one work-group for each tile of words. No work-group memory.

@group(0) @binding(14) var<storage, read_write> part_bits: array<u32>;

const ITEMS_OF_WORD = 16u;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn mark_parts(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let length = data_length();
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let first = (tile * TILE + item * WORK_GROUP_SIZE + local_index) * ITEMS_OF_WORD;
    if (tile < call.tiles && first <= length) {
      part_bits[first / ITEMS_OF_WORD] = bits_of_word(first, length);
    }
  }
}

// An odd number is that of a segment. What comes before the first item and behind the last one has numbers that no segment has.
const BEFORE_ALL = 0xffffffffu;
const BEHIND_ALL = 0xfffffffdu;

fn bits_of_word(first: u32, length: u32) -> u32 {
  var before = BEFORE_ALL;
  var part = Part(BEFORE_ALL, first);
  if (first > 0u) {
    part = part_of(first - 1u, length);
    before = part.number;
  }
  var bits = 0u;
  for (var at = 0u; at < ITEMS_OF_WORD && first + at <= length; at++) {
    var number = BEHIND_ALL;
    if (first + at < length) {
      if (first + at >= part.end) {
        part = part_of(first + at, length);
      }
      number = part.number;
    }
    // Two gaps that follow one another are one.
    var head = 0u;
    if (number % 2u != before % 2u) {
      head = 1u;
    } else if (number % 2u == 1u && number != before) {
      head = 2u;
    }
    bits |= head << (at * 2u);
    before = number;
  }
  return bits;
}
