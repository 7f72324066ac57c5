// A tile of a single pass that adds up items that share words. Threads hold the words while they wait for the carry, and only then take the items
// from them: a register for each item would leave room for fewer work-groups at the same time. The tile's total comes from whole words, since a
// compiler would keep items that were taken before.
// Linked with scan_single_pass.wgsl, input_packed.wgsl and a file of device/narrow, an output, and subgroup.wgsl with subgroup_rows.wgsl and
// subgroup_any_order.wgsl. A vector has whole words.
// Call in uniform control flow. Work-group memory: the algorithm's, and the look-back's.
// replaces: take_tile

const VECTOR_WORDS = VECTOR / ITEMS_OF_WORD;

fn take_tile(tile: u32, thread: u32, length: u32) {
  let is_full = (tile + 1u) * TILE <= min(length, call.wide_length);
  var words: array<u32, VECTORS * VECTOR_WORDS>;
  var sum = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let place = vector_of(tile, thread, vector);
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (item % ITEMS_OF_WORD == 0u) {
        let word = read_word(place * VECTOR_WORDS + item / ITEMS_OF_WORD, length, is_full);
        words[vector * VECTOR_WORDS + item / ITEMS_OF_WORD] = word;
        sum += sum_of_word(word);
      }
    }
  }
  let total = reduce_threads(element_from_item(bitcast<Input>(sum), 0u));
  hand_on(tile, total, thread);
  // A look-back that computes another tile's total uses the memory that this reads.
  let before_in_tile = before_run(TileScan(total));
  look_back(tile, total, thread, length);
  after_look_back(thread);
  var before = combine(carry(), before_in_tile);
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var own: array<Element, VECTOR>;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      let word = words[vector * VECTOR_WORDS + item / ITEMS_OF_WORD];
      own[item] = element_from_item(bitcast<Input>(value_in(word, item % ITEMS_OF_WORD * BITS)), 0u);
    }
    before = store_vector(before, own, vector_of(tile, thread, vector), length, is_full);
  }
  store_last_total(tile, thread, length, total);
}

// A word of the range. Items past the end of the data are 0.
fn read_word(place: u32, length: u32, is_full: bool) -> u32 {
  let first = place * ITEMS_OF_WORD;
  if (!is_full && first >= length) {
    return 0u;
  }
  let word = input[call.input_base / ITEMS_OF_WORD + place];
  if (is_full || first + ITEMS_OF_WORD <= length) {
    return word;
  }
  return extractBits(word, 0u, (length - first) * BITS);
}

// Scans a row of vectors, and stores the thread's own. Returns what comes before the next row.
fn store_vector(before: Element, elements: array<Element, VECTOR>, place: u32, length: u32, is_full: bool) -> Element {
  var own = elements;
  var sum = own[0];
  for (var item = 1u; item < VECTOR; item++) { // unroll
    sum = combine(sum, own[item]);
  }
  let row = scan_row(sum);
  var prefix = before;
  if (subgroup_rank > 0u) {
    prefix = combine(before, row.exclusive);
  }
  var items: array<Output, VECTOR>;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    let earlier = prefix;
    prefix = combine(prefix, own[item]);
    items[item] = item_from_element(select_prefix(earlier, prefix));
  }
  if (is_full) {
    write_vector(place, output_vector(items));
  } else {
    write_edge(place, length, items);
  }
  return combine(before, row.total);
}
