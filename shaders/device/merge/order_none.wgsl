// No thread looks up where a tile's items come from, but for its own.

fn note_sources(kept: KeptPlaces, sources: array<u32, ITEMS>) {}
