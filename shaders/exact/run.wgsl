// What a single pass of exact sums keeps until it knows a tile's carry: a thread's items.
// Linked with items.wgsl. Call from any control flow. No work-group memory.
// replaces: run_of, finish_run

fn run_of(scan: TileScan, items: Items) -> Items {
  return items;
}

// The items, and the whole sum of all that comes before them.
struct Run {
  items: Items,
  before: Element,
}

fn finish_run(items: Items, before: Element) -> Run {
  return Run(items, before);
}
