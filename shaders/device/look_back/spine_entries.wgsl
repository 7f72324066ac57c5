// The spine of a single pass: a buffer of entries. In them, the work-groups of one dispatch hand elements on to each other.
//
// WebGPU promises no order between writes to different places, so each 32-bit word of an entry holds 16 bits
// of the element and the number of the run, and an entry counts only if all its words have the number of this run. No
// number is used twice on one spine, so nothing has to be cleared.
// Each entry has two places: its owner's, and one for work-groups that compute it in place of the owner. The two
// may differ in a float's last bits, and words of both must not be mixed. Whoever writes to a place writes the same bits
// as all others who do.
//
// The GROUP_ENTRIES places of a group lie word by word: the first words of all places, then the second words, and so on. So
// words that are read together lie side by side.
//
// Linked with contract.wgsl and faults_none.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(3) var<storage, read_write> spine: array<atomic<u32>>;

// The run's number, 1 to 4095, as two digits of base 64. Dynamic offsets choose both.
@group(0) @binding(10) var<uniform> run_low: vec4<u32>;
@group(0) @binding(11) var<uniform> run_high: vec4<u32>;

fn run_number() -> u32 {
  return run_high.x * 64u + run_low.x;
}

struct Entry {
  is_whole: bool,
  element: Element,
}

// The index of a place's first word. Its other words follow, each GROUP_ENTRIES after the one before.
fn first_word_of(place: u32) -> u32 {
  return place / GROUP_ENTRIES * GROUP_ENTRIES * ENTRY_WORDS + place % GROUP_ENTRIES;
}

fn read_place(place: u32) -> Entry {
  let first = first_word_of(place);
  let run = run_number();
  var words: array<u32, ELEMENT_WORDS>;
  var is_whole = true;
  for (var word = 0u; word < ELEMENT_WORDS; word++) { // unroll
    let low = atomicLoad(&spine[first + 2u * word * GROUP_ENTRIES]);
    let high = atomicLoad(&spine[first + (2u * word + 1u) * GROUP_ENTRIES]);
    is_whole &= ((low >> 16u) == run) & ((high >> 16u) == run);
    words[word] = (low & 0xffffu) | (high << 16u);
  }
  return Entry(is_whole, element_from_words(words));
}

// Reads an entry that its owner or another work-group handed on.
fn read_entry(entry: u32) -> Entry {
  let found = read_place(entry);
  if (found.is_whole) {
    return found;
  }
  return read_place(call.spine_entries + entry);
}

// Writes an entry. `writers` threads share the work: all of them hold the element, and each calls this with its own number.
// An atomic exchange goes straight to where other work-groups read. A store could wait behind the stores of whole tiles.
fn write_place(place: u32, element: Element, writer: u32, writers: u32) {
  let first = first_word_of(place);
  let run = run_number() << 16u;
  var words = words_from_element(element);
  for (var word = 0u; word < ELEMENT_WORDS; word++) { // unroll
    if (writer == (2u * word) % writers && !is_withheld(place, 2u * word)) {
      _ = atomicExchange(&spine[first + 2u * word * GROUP_ENTRIES], run | (words[word] & 0xffffu));
    }
    if (writer == (2u * word + 1u) % writers && !is_withheld(place, 2u * word + 1u)) {
      _ = atomicExchange(&spine[first + (2u * word + 1u) * GROUP_ENTRIES], run | (words[word] >> 16u));
    }
  }
}
