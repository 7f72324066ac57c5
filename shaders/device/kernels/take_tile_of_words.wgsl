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
  // All loads come first, so that they are under way together.
  if (is_full) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let first = call.input_base / ITEMS_OF_WORD + vector_of(tile, thread, vector) * VECTOR_WORDS;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        words[vector * VECTOR_WORDS + item / ITEMS_OF_WORD] = input[first + item / ITEMS_OF_WORD];
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = vector_of(tile, thread, vector) * VECTOR_WORDS;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        words[vector * VECTOR_WORDS + item / ITEMS_OF_WORD] = read_last_word(place + item / ITEMS_OF_WORD, length);
      }
    }
  }
  var sum = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (item % ITEMS_OF_WORD == 0u) {
        sum += sum_of_word(words[vector * VECTOR_WORDS + item / ITEMS_OF_WORD]);
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
  if (is_full) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var own: array<Element, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        own[item] = element_of_word(words[vector * VECTOR_WORDS + item / ITEMS_OF_WORD], item % ITEMS_OF_WORD);
      }
      let scan = scan_vector(before, own);
      write_vector(vector_of(tile, thread, vector), output_vector(scan.items));
      before = scan.before_next;
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var own: array<Element, VECTOR>;
      for (var item = 0u; item < VECTOR; item++) { // unroll
        own[item] = element_of_word(words[vector * VECTOR_WORDS + item / ITEMS_OF_WORD], item % ITEMS_OF_WORD);
      }
      let scan = scan_vector(before, own);
      write_edge(vector_of(tile, thread, vector), length, scan.items);
      before = scan.before_next;
    }
  }
  store_last_total(tile, thread, length, total);
}

fn element_of_word(word: u32, place: u32) -> Element {
  return element_from_item(bitcast<Input>(value_in(word, place * BITS)), 0u);
}

// A word that may reach past the end of the data. Items there are 0.
fn read_last_word(place: u32, length: u32) -> u32 {
  let first = place * ITEMS_OF_WORD;
  if (first >= length) {
    return 0u;
  }
  let word = input[call.input_base / ITEMS_OF_WORD + place];
  if (first + ITEMS_OF_WORD <= length) {
    return word;
  }
  return extractBits(word, 0u, (length - first) * BITS);
}

// The prefixes of a thread's own vector of a row, and what comes before the next row.
struct VectorScan {
  items: array<Output, VECTOR>,
  before_next: Element,
}

fn scan_vector(before: Element, elements: array<Element, VECTOR>) -> VectorScan {
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
  return VectorScan(items, combine(before, row.total));
}
