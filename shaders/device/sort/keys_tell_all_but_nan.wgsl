// Keys that tell their items, but for NaN: one key has NaNs of several bits, and these keep their order. So a tile notes where it
// has NaN. If there is any, it looks for them again once all keys are in order, and puts their bits where their keys are.
// Linked with sort/network_of_keys.wgsl, sort/places_in_slots.wgsl, a sort/segments_by_*.wgsl and input_items.wgsl. Generated with it:
// item_from_key, are_equals_others, and a const NAN_COMES_FIRST.
// Call put_noted_items in uniform control flow, after sort_slots. Work-group memory: a bit for each item, and two words.

const NOTE_WORDS = (TILE + 31u) / 32u;

var<workgroup> notes: array<atomic<u32>, NOTE_WORDS>;
var<workgroup> are_noted: atomic<u32>;
var<workgroup> must_put: u32;

fn note_item(key: Key, place: u32) {
  if (are_equals_others(key)) {
    atomicOr(&notes[place / 32u], 1u << (place % 32u));
    atomicStore(&are_noted, 1u);
  }
}

// A word whose lowest bits are set: `count` of them.
fn lowest_bits(count: u32) -> u32 {
  return select((1u << (count & 31u)) - 1u, ~0u, count >= 32u);
}

// How many items are noted at the places from one on, before another.
fn noted_between(start: u32, end: u32) -> u32 {
  var count = 0u;
  for (var first = start & ~31u; first < end; first += 32u) {
    let bits = atomicLoad(&notes[first / 32u]) & lowest_bits(end - first);
    count += countOneBits(bits & ~lowest_bits(start - min(start, first)));
  }
  return count;
}

fn put_noted_items(tile: u32, given_indices: array<u32, ITEMS>, length: u32, thread: u32) {
  if (thread == 0u) {
    must_put = atomicLoad(&are_noted);
  }
  if (workgroupUniformLoad(&must_put) == 0u) {
    return;
  }
  var indices = given_indices;
  for (var item = 0u; item < ITEMS; item++) {
    let place = item * WORK_GROUP_SIZE + thread;
    if ((atomicLoad(&notes[place / 32u]) & (1u << (place % 32u))) != 0u) {
      let slot = place / SLOT;
      let start = slot * SLOT;
      var first = start;
      if (!NAN_COMES_FIRST) {
        let span = span_of_segment(tile * SLOTS + slot, length);
        // Of a segment that is longer than a slot, the slot has the first items.
        first += min(span.y - span.x, SLOT) - noted_between(start, start + SLOT);
      }
      let word = exchange_word(first + noted_between(start, place));
      exchanged_keys[word] = output_from_input(read_item(indices[item]));
    }
  }
  workgroupBarrier();
}

fn item_at(place: u32, key: Key) -> Output {
  if (must_put != 0u && are_equals_others(key)) {
    return exchanged_keys[exchange_word(place)];
  }
  return item_from_key(key);
}
