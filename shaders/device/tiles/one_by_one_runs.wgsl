// A tile whose items go one by one. Each thread takes consecutive items, its run.
// Call in uniform control flow. Work-group memory: the algorithm's. Linked with portable.wgsl and one_by_one.wgsl.
// replaces: begin_scan, reduce_tile

fn begin_scan(items: Items, thread: u32) -> TileScan {
  let scan = work_group_scan_exclusive(sum_of_items(items), thread);
  return TileScan(scan.prefix, scan.total);
}

fn reduce_tile(items: Items, thread: u32) -> Element {
  return work_group_reduce(sum_of_items(items), thread);
}

fn sum_of_items(items: Items) -> Element {
  let first = vector_of(items.tile, items.thread, 0u);
  var sum = element_at(first, items.length);
  for (var item = 1u; item < ITEMS; item++) {
    sum = combine(sum, element_at(first + item, items.length));
  }
  return sum;
}
