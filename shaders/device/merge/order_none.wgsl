// No thread looks up where a tile's items come from, but for its own.

fn note_source(place: u32, source: u32) {}

fn note_sources(kept: KeptPlaces, sources: array<u32, ITEMS>) {}
