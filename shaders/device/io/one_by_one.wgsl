// Items one by one, in loops: each is read where it is combined and once more where it is stored, so that no thread holds
// an array of them, and none over a barrier. Where items are long, a software adapter's compiler takes a fraction of the
// time, and the results are no later.
// Linked with scan_tiles.wgsl, scan_single_pass.wgsl or reduce_tiles.wgsl; an input of single items; load_items.wgsl; and
// portable.wgsl with one_by_one_runs.wgsl, or subgroup.wgsl with one_by_one_rows.wgsl.
// Call from any control flow, but for total_of_tile. No work-group memory.
// replaces: load_items, run_of, finish_run, total_of_tile

// Where a thread's items are: nothing is loaded yet.
struct Items {
  tile: u32,
  thread: u32,
  length: u32,
}

fn load_items(tile: u32, thread: u32, length: u32) -> Items {
  return Items(tile, thread, length);
}

// Past the end of the data, the identity.
fn element_at(index: u32, length: u32) -> Element {
  if (index < length) {
    return load_element(index);
  }
  return identity();
}

fn run_of(scan: TileScan, items: Items) -> Items {
  return items;
}

// What comes before the run: prefixes are combined where they are stored.
fn finish_run(items: Items, before: Element) -> Element {
  return before;
}

// As begin_scan has it. Call in uniform control flow.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  return begin_scan(load_items(tile, thread, length), thread).total;
}
