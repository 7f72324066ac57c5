// The kept items of a tile go behind those of the tiles before. The last tile stores how many there are in all.
// Linked with tile.wgsl, count_kept.wgsl, a scan of device/work_group, carry_spine.wgsl and total_buffer.wgsl. Call in uniform control flow.

struct KeptPlaces {
  first: u32,
  count: u32,
  before: u32,
}

fn kept_places(tile: MergeTile, number: u32, thread: u32, sources: array<u32, ITEMS>) -> KeptPlaces {
  let kept = work_group_scan_exclusive(count_kept(sources), thread);
  let first = load_carry(number);
  if (number + 1u == call.tiles && thread == 0u) {
    store_total(min(first + kept.total, call.room));
  }
  return KeptPlaces(first, kept.total, kept.prefix);
}
