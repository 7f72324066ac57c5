// Nothing moves with the items.

fn move_values(tile: MergeTile, kept: KeptPlaces, thread: u32) {}
