// Blocks of consecutive elements. Only the blocks with the first keys can have the first elements in an order. So a selection of
// few elements takes blocks first, then shorter blocks of these, and so on, down to blocks of one element. A block has 1 << shift
// elements. The first ones have 1 << FIRST_SHIFT. Blocks that were taken are divided into 1 << RATIO_BITS, and at the end into as
// many as they have elements.
// Linked with contract.wgsl. Call from any control flow. No work-group memory.

// The blocks that were taken before, which these blocks are parts of. They are in no order. Two words of the limit stand behind their numbers.
@group(0) @binding(19) var<storage, read> numbers: array<u32>;

fn bits_after(shift: u32) -> u32 {
  return min(shift, RATIO_BITS);
}

// How many blocks there are of a length.
fn blocks_of(shift: u32, length: u32) -> u32 {
  var blocks = (length >> FIRST_SHIFT) + u32((length & ((1u << FIRST_SHIFT) - 1u)) != 0u);
  for (var at = FIRST_SHIFT; at > shift; at -= bits_after(at)) {
    blocks = min(blocks, call.k) << bits_after(at);
  }
  return blocks;
}

// The number of a block among all blocks of its length that the data has. Some of the last ones are behind the data's end.
fn number_of(block: u32, shift: u32) -> u32 {
  if (shift == FIRST_SHIFT) {
    return block;
  }
  let bits = select(RATIO_BITS, LAST_BITS, shift == 0u);
  return (numbers[block >> bits] << bits) | (block & ((1u << bits) - 1u));
}
