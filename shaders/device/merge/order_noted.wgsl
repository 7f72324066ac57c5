// The order of a tile's kept items, so that any thread finds where an item comes from.
// Linked with tile.wgsl and a places_*.wgsl, and for note_sources with merged_places.wgsl. A barrier must come before another thread reads it. Work-group memory: TILE words.

var<workgroup> kept_sources: array<u32, TILE>;

fn note_source(place: u32, source: u32) {
  kept_sources[place] = source;
}

fn note_sources(kept: KeptPlaces, given_sources: array<u32, ITEMS>) {
  var sources = given_sources;
  var rank = kept.before;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    if (sources[item] != NO_SOURCE) {
      note_source(rank, sources[item]);
      rank += 1u;
    }
  }
}
