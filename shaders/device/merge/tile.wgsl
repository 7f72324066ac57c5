// A tile of the merged order of two sorted ranges: which items it takes of each, and in which order they come. Of equal items, those of the
// input come first.
// Linked with contract.wgsl, input_items.wgsl, other.wgsl, a select/keys*.wgsl and a keep_*.wgsl. Generated with it: an alias Staged, and
// staged_from and key_of_staged.
// Call in uniform control flow, but for tile_of. If a range is in no order, the order means nothing, and is one of items of the ranges.
// Work-group memory: TILE + 1 of Staged.
// Source: Green, McColl, Bader, "GPU Merge Path: A GPU Merging Algorithm", ICS 2012.

// What split_tiles.wgsl wrote.
@group(0) @binding(16) var<storage, read> splits: array<u32>;

// The items that a tile takes of the input, and behind them those of the other range.
var<workgroup> staged: array<Staged, TILE + 1u>;

struct MergeTile {
  // Its first place in the merged order, and its first item of each range.
  start: u32,
  first: u32,
  other: u32,
  // How many items it takes of the input, and of both.
  own: u32,
  count: u32,
}

fn tile_of(number: u32) -> MergeTile {
  let total = splits[0] + splits[1];
  let start = min(number * TILE, total);
  let count = min(TILE, total - start);
  let first = splits[2u + number];
  let own = min(max(splits[3u + number], first) - first, count);
  return MergeTile(start, first, start - first, own, count);
}

// The item that stands at a place of `staged`.
fn item_from_source(tile: MergeTile, source: u32) -> Input {
  if (source < tile.own) {
    return read_item(tile.first + source);
  }
  return read_other(tile.other + source - tile.own);
}

// Loads a tile's items. A barrier must come before other threads read them.
fn stage_tile(tile: MergeTile, thread: u32) {
  if (tile.count == 0u) {
    return;
  }
  var items: array<Staged, ITEMS>;
  // All loads come first, so that they are under way together. Past the end of a tile, its last item is loaded again.
  for (var item = 0u; item < ITEMS; item++) { // unroll
    items[item] = staged_from(item_from_source(tile, min(item * WORK_GROUP_SIZE + thread, tile.count - 1u)));
  }
  for (var item = 0u; item < ITEMS; item++) { // unroll
    staged[item * WORK_GROUP_SIZE + thread] = items[item];
  }
  stage_next(tile, thread);
}

fn staged_key(place: u32) -> Key {
  return key_of_staged(staged[place]);
}

// How many of the first items of the tile are of the input.
fn own_in_tile(tile: MergeTile, place: u32) -> u32 {
  var low = place - min(place, tile.count - tile.own);
  var high = min(place, tile.own);
  while (low < high) {
    let middle = (low + high) / 2u;
    if (comes_before(staged_key(tile.own + place - 1u - middle), staged_key(middle))) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  return low;
}
