// A thread finds the places of its items of the merged order in work-group memory, and which of them are kept.
// Linked with tile.wgsl, a keep_*.wgsl, a places_*.wgsl, an order_*.wgsl and a store_*.wgsl. Call in uniform control flow. No work-group memory.

const NO_SOURCE = 0xffffffffu;

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

// Stores a tile's kept items.
fn store_merged(tile: MergeTile, number: u32, thread: u32) -> KeptPlaces {
  let sources = merged_sources(tile, thread);
  let kept = kept_places(tile, number, thread, sources);
  note_sources(kept, sources);
  store_items(tile, kept, thread, sources);
  return kept;
}
