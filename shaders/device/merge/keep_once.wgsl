// Sets: of equal items in the merged order, at most the first one is kept. That is one of the input, if the input has one.
// Linked with tile.wgsl. Generated with it: is_chosen, which says whether the first of equal items is kept, from whether the input has one,
// and whether the other range does.
// Call from any control flow. No work-group memory.

// The key of the item that comes before in the merged order, if there is one.
struct KeyBefore {
  key: Key,
  is_there: bool,
}

fn has_next(tile: MergeTile) -> bool {
  return tile.other + tile.count - tile.own < splits[1];
}

// Puts the item of the other range that comes after the tile's behind them, since it may be equal to the last ones of the input.
fn stage_next(tile: MergeTile, thread: u32) {
  if (thread == 0u && has_next(tile)) {
    staged[tile.count] = staged_from(read_other(tile.other + tile.count - tile.own));
  }
}

fn with_key(before: KeyBefore, key: Key) -> KeyBefore {
  if (before.is_there && !comes_before(before.key, key)) {
    return before;
  }
  return KeyBefore(key, true);
}

// The greater one of the keys before the next item of each range. Where a tile starts, these are items of the tiles before.
fn key_before(tile: MergeTile, own: u32, other: u32) -> KeyBefore {
  var before: KeyBefore;
  if (own + other > tile.own) {
    if (own > 0u) {
      before = with_key(before, staged_key(own - 1u));
    }
    if (other > tile.own) {
      before = with_key(before, staged_key(other - 1u));
    }
    return before;
  }
  if (tile.first > 0u) {
    before = with_key(before, key_from_item(read_item(tile.first - 1u)));
  }
  if (tile.other > 0u) {
    before = with_key(before, key_from_item(read_other(tile.other - 1u)));
  }
  return before;
}

fn is_kept(tile: MergeTile, before: KeyBefore, key: Key, is_own: bool, other: u32, other_key: Key) -> bool {
  let is_first = !before.is_there || comes_before(before.key, key);
  let is_in_other = (other < tile.count || has_next(tile)) && !comes_before(key, other_key);
  return is_first && is_chosen(is_own, is_in_other);
}
