// Items go one by one, in loops. An item is read to be combined, and read again to be stored. So no thread holds an array
// of items, nor any item over a barrier. If items are long, a software adapter's compiler takes a fraction of the time, and
// results come no later.
// Linked with scan_tiles.wgsl, scan_single_pass.wgsl or reduce_tiles.wgsl; an input of single items; load_items.wgsl; and
// portable.wgsl with one_by_one_runs.wgsl, or subgroup.wgsl with one_by_one_rows.wgsl.
// Call from any control flow, but total_of_tile in uniform control flow. No work-group memory.
// replaces: load_items, run_of, finish_run, total_of_tile

// Says where a thread's items are. It holds none of them.
struct Items {
  tile: u32,
  thread: u32,
  length: u32,
}

fn load_items(tile: u32, thread: u32, length: u32) -> Items {
  return Items(tile, thread, length);
}

// The element at an index. Past the end of the data, it is the identity.
fn element_at(index: u32, length: u32) -> Element {
  if (index < length) {
    return load_element(index);
  }
  return identity();
}

fn run_of(scan: TileScan, items: Items) -> Items {
  return items;
}

// Returns only what comes before the run, since store_prefixes combines the prefixes.
fn finish_run(items: Items, before: Element) -> Element {
  return before;
}

// The total of any tile, the same as begin_scan gives. Call in uniform control flow.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  return begin_scan(load_items(tile, thread, length), thread).total;
}

fn store_prefix(index: u32, length: u32, prefix: Element) {
  write_item(index, item_from_element(prefix));
}

// The element of one item. Only for inputs whose vectors have one item.
fn load_element(index: u32) -> Element {
  return element_from_item(input_items(read_vector(index))[0], index);
}
