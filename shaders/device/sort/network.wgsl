// Where the items of a tile are while a network of comparisons sorts its slots. Runs of SLOT items, a power of 2, are sorted. ITEMS and
// WORK_GROUP_SIZE are powers of 2, too. A thread holds the items whose places differ in some bits. Where it is to compare items that
// differ in other bits, the threads exchange items. After Batcher, "Sorting networks and their applications", 1968: sorted runs
// alternate in their direction, so that two of them can be merged.
// Linked with contract.wgsl. Call from any control flow. No work-group memory.

// Where a place has its words, so that threads that read at the same time read from different banks; and the words for all places.
fn exchange_word(place: u32) -> u32 {
  return place + (place >> 4u);
}

const EXCHANGE_WORDS = TILE + TILE / 16u;

// The place of a thread's item if the bits from `bit` on are those of the item's number.
fn place_from(bit: u32, item: u32, thread: u32) -> u32 {
  let low = thread & ((1u << bit) - 1u);
  return ((thread - low) * ITEMS) | (item << bit) | low;
}

// All bits set if the bit of the place of a thread's items is, where the items' own bits are the lowest.
fn mask_of_bit(bit: u32, thread: u32) -> u32 {
  return 0u - (((thread * ITEMS) >> bit) & 1u);
}
