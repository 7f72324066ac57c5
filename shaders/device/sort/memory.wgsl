// The work-group memory of a sort. The counters that rank a tile's items and the items on their way to their places take turns
// in it. It is atomic, so that counters can be.

var<workgroup> sort_memory: array<atomic<u32>, MEMORY>;

// A word for each digit: how many items of a tile have it; or what is added to the place of an item in the tile to get its place
// in the output.
var<workgroup> digit_words: array<atomic<u32>, RADIX>;

// The places of a thread's items in the sorted tile: RANKS of them in a word, which is 1 or 2. With 2, the first one is in the lower
// half, and a thread takes fewer registers.
const RANK_WORDS = (ITEMS + RANKS - 1u) / RANKS;
const RANK_BITS = 32u / RANKS;
const_assert RANKS == 1u || TILE <= 65536u;

fn rank_in(word: u32, item: u32) -> u32 {
  if (RANKS == 1u) {
    return word;
  }
  return extractBits(word, RANK_BITS * (item % RANKS), RANK_BITS);
}
