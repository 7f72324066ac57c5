// A merge keeps all items.
// Linked with tile.wgsl. Call from any control flow. No work-group memory.

struct KeyBefore {
  key: Key,
  is_there: bool,
}

fn stage_next(tile: MergeTile, thread: u32) {}

fn key_before(tile: MergeTile, own: u32, other: u32) -> KeyBefore {
  return KeyBefore();
}

fn is_kept(tile: MergeTile, before: KeyBefore, key: Key, is_own: bool, other: u32, other_key: Key) -> bool {
  return true;
}
