// Ranks the kept items of a tile, and stores them side by side, in order.
// Linked with contract.wgsl, portable.wgsl or subgroup.wgsl, load_kept.wgsl and output_items.wgsl.
// Call ranks_of in uniform control flow, and store_kept from any. Work-group memory: the algorithm's.

// The place of each kept item within the thread's run, how many items the tile keeps before the run, and in all. A word holds two
// places to save registers, since threads hold the places while they wait for other tiles.
struct Ranks {
  words: array<u32, RANK_WORDS>,
  before: Element,
  total: Element,
}

const RANK_WORDS = (ITEMS + 1u) / 2u;

fn ranks_of(kept: Kept, thread: u32) -> Ranks {
  let counts = counts_of(kept);
  let scan = begin_scan(counts, thread);
  var places = finish_run(run_of(scan, counts), identity());
  var ranks: Ranks;
  ranks.before = before_run(scan);
  ranks.total = scan.total;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    ranks.words[item / 2u] |= places[item] << (16u * (item % 2u));
  }
  return ranks;
}

// `before_tile` is the number of items that the tiles before keep.
fn store_kept(tile: u32, thread: u32, kept: Kept, ranks: Ranks, before_tile: Element) {
  let before = before_tile + ranks.before;
  var items = kept.items;
  var counts = counts_of(kept);
  var words = ranks.words;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let index = vector_of(tile, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let at = vector * VECTOR + item;
      let is_kept = counts[at] != 0u;
      if (is_stored(is_kept, index + item)) {
        let rank = (words[at / 2u] >> (16u * (at % 2u))) & 0xffffu;
        store_item(is_kept, before + rank, index + item, kept_item(items[at], index + item));
      }
    }
  }
}

// Whether the item at this index is stored: if it is kept.
fn is_stored(is_kept: bool, index: u32) -> bool {
  return is_kept;
}

// Whether all items of this tile are stored, kept or not.
fn stores_all(tile: u32) -> bool {
  return false;
}

// Stores an item. `before` is the number of items that are kept before it.
fn store_item(is_kept: bool, before: u32, index: u32, item: Output) {
  write_item(before, item);
}
