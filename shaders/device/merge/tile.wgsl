// A tile of the merged order of two sorted ranges: which items it takes of each, and in which order they come. Of equal items, those of the
// input come first.
// Linked with contract.wgsl, input_items.wgsl, other.wgsl, a select/keys*.wgsl and a keep_*.wgsl. Generated with it: an alias Staged, and
// staged_from and key_of_staged.
// Call in uniform control flow, but for tile_of. If a range is in no order, the order means nothing, and is one of items of the ranges.
// Work-group memory: TILE + 1 of Staged.
// Source: Green, McColl, Bader, "GPU Merge Path: A GPU Merging Algorithm", ICS 2012.

const NO_SOURCE = 0xffffffffu;

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

// Loads a tile's items. A barrier must come before `merged_sources`.
fn stage_tile(tile: MergeTile, thread: u32) {
  var items: array<Staged, ITEMS>;
  // All loads come first, so that they are under way together.
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = item * WORK_GROUP_SIZE + thread;
    if (place < tile.count) {
      items[item] = staged_from(item_from_source(tile, place));
    }
  }
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let place = item * WORK_GROUP_SIZE + thread;
    if (place < tile.count) {
      staged[place] = items[item];
    }
  }
  stage_next(tile, thread);
}

fn staged_key(place: u32) -> Key {
  return key_of_staged(staged[place]);
}

// The places in `staged` of the consecutive items of the merged order that a thread takes. There is none of an item that is not kept, and
// past the end of the tile.
fn merged_sources(tile: MergeTile, thread: u32) -> array<u32, ITEMS> {
  var sources: array<u32, ITEMS>;
  let start = min(thread * ITEMS, tile.count);
  var own = own_in_tile(tile, start);
  var other = tile.own + start - own;
  var own_key = staged_key(own);
  var other_key = staged_key(other);
  var before = key_before(tile, own, other);
  for (var item = 0u; item < ITEMS; item++) { // unroll
    sources[item] = NO_SOURCE;
    if (start + item < tile.count) {
      let takes_own = own < tile.own && (other >= tile.count || !comes_before(other_key, own_key));
      let key = select(other_key, own_key, takes_own);
      if (is_kept(tile, before, key, takes_own, other, other_key)) {
        sources[item] = select(other, own, takes_own);
      }
      before = KeyBefore(key, true);
      if (takes_own) {
        own += 1u;
        own_key = staged_key(own);
      } else {
        other += 1u;
        other_key = staged_key(other);
      }
    }
  }
  return sources;
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
