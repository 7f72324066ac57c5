// What a single pass does with a tile that is scanned in its window: it keeps a thread's items until it knows the tile's carry, and then rounds
// and stores their prefixes.
// Linked in place of store_prefixes.wgsl, with window.wgsl and store.wgsl. Call from any control flow.
// Work-group memory: that of window.wgsl.

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

// The part of a whole sum that is in the window, whether there are bits below it, and whether the sum fits: it leaves room for
// the items of a tile.
struct Windowed {
  sum: WindowSum,
  rest: u32,
  fits: bool,
}

// Each thread uses its own place in memory, so no barrier is needed.
fn windowed(whole: Element, thread: u32, window: u32) -> Windowed {
  sums_of_threads[thread] = whole;
  let seen = sums_of_threads[thread][EXACT_WORDS - 1u] & EXACT_SEEN;
  let last = bitcast<u32>(bitcast<i32>(sums_of_threads[thread][EXACT_WORDS - 1u] << 4u) >> 4u);
  let above = bitcast<u32>(bitcast<i32>(last) >> 31u);
  sums_of_threads[thread][EXACT_WORDS - 1u] = last;
  var rest = 0u;
  var beyond = 0u;
  for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
    let own = sums_of_threads[thread][word];
    rest |= select(0u, own, word < window);
    beyond |= select(0u, own ^ above, word >= window + WINDOW_WORDS);
  }
  var sum: WindowSum;
  for (var word = 0u; word < WINDOW_WORDS; word++) { // unroll
    let own = sums_of_threads[thread][min(window + word, EXACT_WORDS - 1u)];
    sum[word] = select(above, own, window + word < EXACT_WORDS);
  }
  let top = sum[WINDOW_WORDS - 1u];
  let fits = beyond == 0u && (top + 0x04000000u) < 0x08000000u && bitcast<u32>(bitcast<i32>(top) >> 31u) == above;
  sum[WINDOW_WORDS - 1u] = (top & ~EXACT_SEEN) | seen;
  return Windowed(sum, rest, fits);
}

// Rounds the prefixes of the items that one thread of a tile takes, and stores them.
fn store_prefixes(tile: u32, thread: u32, length: u32, run: Run) {
  if (!has_items(tile, thread, length)) {
    return;
  }
  if (window_of_tile == NO_WINDOW) {
    store_whole(tile, thread, length, run.before);
    return;
  }
  let own = windowed(run.before, thread, window_of_tile);
  var bits = run.items.bits;
  var outputs: array<Output, ITEMS>;
  var fits = own.fits;
  var sum = own.sum;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let earlier = sum;
    sum = window_combine(sum, window_from_parts(parts_from_float(bits[item]), window_of_tile));
    let lead = window_lead(select_window(earlier, sum), own.rest);
    // If there are bits below the window, those that the sum is rounded by must be in it.
    fits = fits && (own.rest == 0u || (lead.high != 0u && lead.place > EXACT_FRACTION + 1u));
    outputs[item] = output_from_float(float_from_lead(lead, window_of_tile));
  }
  if (!fits) {
    store_whole(tile, thread, length, run.before);
    return;
  }
  store_outputs(outputs, thread, tile, length);
}
