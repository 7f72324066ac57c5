// Keys that tell all of their items.
// Generated with it: item_from_key. Call from any control flow. No work-group memory.

fn note_item(key: Key, place: u32) {}

fn put_noted_items(tile: u32, indices: array<u32, ITEMS>, length: u32, thread: u32) {}

fn item_at(place: u32, key: Key) -> Output {
  return item_from_key(key);
}
