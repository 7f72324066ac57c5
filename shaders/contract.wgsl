// The contract: the names that every other shader here is written against, in their simplest
// instance, the sum of u32. Code generation emits the same names for any operator and type, so
// that no shader branches on either. Linked in front of a shader, this file makes it valid WGSL.

// What is combined, what one item of the input is, and what one item of the output is.
alias Element = u32;
alias Input = u32;
alias Output = u32;

// What a kernel of the caller's own passes in and gets back (in-kernel functions only).
alias Value = u32;

// Threads in a work-group, consecutive items that one thread takes, and their product.
const WORK_GROUP_SIZE = 256u;
const ITEMS = 4u;
const TILE = 1024u;

// Consecutive threads that work together, a power of two (thread-tile functions only).
const THREAD_TILE = 8u;

// Bounds on the adapter's subgroup size (subgroup shaders only).
const MIN_SUBGROUP_SIZE = 4u;
const MAX_SUBGROUP_SIZE = 128u;

// The most subgroups of a work-group: WORK_GROUP_SIZE / MIN_SUBGROUP_SIZE, rounded up.
const SUBGROUP_SLOTS = 64u;

// The operator: associative, not necessarily commutative.
fn identity() -> Element {
  return 0u;
}

fn combine(earlier: Element, later: Element) -> Element {
  return earlier + later;
}

// Which of an item's prefixes is asked for: the one without its own element, or the one with it.
fn select_prefix(exclusive: Element, inclusive: Element) -> Element {
  return exclusive;
}

fn element_from_value(value: Value) -> Element {
  return value;
}

fn value_from_element(element: Element) -> Value {
  return element;
}

// The same of an exclusive prefix. Where an operator starts from another value than its identity (a sum of f64, whose
// identity is -0, from 0), that comes before it.
fn value_from_exclusive(element: Element) -> Value {
  return element;
}

// Counters of the caller's (functions that update one): what the counter held before, as the total
// is added to it in one atomic operation.
fn counter_update(total: Element) -> Element {
  return atomicAdd(&contract_counter, total);
}

var<workgroup> contract_counter: atomic<u32>;

// The room that allocations share.
fn allocation_capacity() -> u32 {
  return 1024u;
}

// Device-wide kernels only, from here on.

// Items are loaded and stored as vectors: so many items together, and so many vectors a thread.
alias InputVector = vec4<u32>;
alias OutputVector = vec4<u32>;
const VECTOR = 4u;
const VECTORS = 1u;

// Of a thread's vectors, which subgroups take in rows, the rows that are scanned together: a power of two that divides
// VECTORS. Then how often there are as many, the power, and half of them, but at least one.
const ROWS = 1u;
const ROW_CHUNKS = 1u;
const ROW_STAGES = 0u;
const ROW_PAIRS = 1u;

fn input_items(vector: InputVector) -> array<Input, VECTOR> {
  return array<Input, VECTOR>(vector.x, vector.y, vector.z, vector.w);
}

fn output_items(vector: OutputVector) -> array<Output, VECTOR> {
  return array<Output, VECTOR>(vector.x, vector.y, vector.z, vector.w);
}

fn output_vector(items: array<Output, VECTOR>) -> OutputVector {
  return OutputVector(items[0], items[1], items[2], items[3]);
}

// What an item is as an element. A map of the caller's makes it from the item's index, too.
fn element_from_item(item: Input, index: u32) -> Element {
  return item;
}

fn item_from_element(element: Element) -> Output {
  return element;
}

// An element as words that can be handed on one by one.
const ELEMENT_WORDS = 1u;

fn words_from_element(element: Element) -> array<u32, ELEMENT_WORDS> {
  return array<u32, ELEMENT_WORDS>(element);
}

fn element_from_words(words: array<u32, ELEMENT_WORDS>) -> Element {
  return words[0];
}

// How a single pass looks back: tiles of a group; groups that are looked through, of the farthest of which the carry is
// waited for; and a group's places in the spine, for its tiles, its carry, and one that is not used.
const FAN_OUT = 16u;
const MOST_GROUPS = 64u;
const GROUP_ENTRIES = 18u;

// Attempts to read what another work-group hands on, before it is computed again.
const PATIENCE = 1000u;

// Compaction: whether an item is kept, and what is written for it.
fn keep(item: Input, index: u32) -> bool {
  return item != 0u;
}

fn kept_item(item: Input, index: u32) -> Output {
  return item;
}

// Indirect arguments: items for each work-group, work-groups in a row at most, vertices of an
// instance, and whether they come by an index buffer.
const ITEMS_PER_WORK_GROUP = 256u;
const MOST_WORK_GROUPS = 65535u;
const VERTEX_COUNT = 4u;
const INDEXED = false;

struct Params {
  // Items in the input, or the most where a buffer says how many.
  length: u32,
  // Work-groups in a row of the dispatch: tile = row * grid_width + column.
  grid_width: u32,
  // Tiles of that length, and those that the spine has room for.
  tiles: u32,
  spine_tiles: u32,
  // Items that can be reached as vectors; the others one by one.
  wide_length: u32,
  // Where each range starts in its binding: in vectors where it is bound as vectors, else in items.
  // Bindings start at aligned addresses.
  input_base: u32,
  output_base: u32,
  input_end_base: u32,
  output_end_base: u32,
  flags_base: u32,
  total_base: u32,
  length_base: u32,
  indirect_base: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

// The tile that holds the last item; the first one where there is none.
fn last_tile(length: u32) -> u32 {
  return (max(length, 1u) - 1u) / TILE;
}
