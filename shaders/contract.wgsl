// The contract: the names that all other shaders here use without declaring them. This file declares them for the simplest
// case, the sum of u32. Code generation declares the same names for any operator and type, so no shader branches on either.
// With this file linked in front, and the files that its header lists, a shader is valid WGSL.

// The types of an element (which is combined), of an item of the input, and of an item of the output.
alias Element = u32;
alias Input = u32;
alias Output = u32;

// The type that a caller's kernel passes in and gets back (in-kernel functions only).
alias Value = u32;

// The threads of a work-group, the items that one thread takes, and the items of a tile: the product of both.
const WORK_GROUP_SIZE = 256u;
const ITEMS = 4u;
const TILE = 1024u;

// The number of consecutive threads in a thread tile, a power of two (thread-tile functions only).
const THREAD_TILE = 8u;

// The thread tiles of a work-group. The last one may be shorter.
const THREAD_TILES = 32u;

// How many values go through work-group memory at a time: one for each thread if a thread tile may lie in several subgroups, else one
// (shuffles by subgroups only).
const SHUFFLE_PLACES = 256u;

// Bounds on the adapter's subgroup size (subgroup shaders only).
const MIN_SUBGROUP_SIZE = 4u;
const MAX_SUBGROUP_SIZE = 128u;

// The most subgroups of a work-group: WORK_GROUP_SIZE / MIN_SUBGROUP_SIZE, rounded up.
const SUBGROUP_SLOTS = 64u;

// Blelloch's algorithm: WORK_GROUP_SIZE, rounded up to a power of two, and the places that so many elements take if one place in
// 33 is not used.
const BLELLOCH_LEAVES = 256u;
const BLELLOCH_PLACES = 264u;

// The operator: associative, not necessarily commutative.
fn identity() -> Element {
  return 0u;
}

fn combine(earlier: Element, later: Element) -> Element {
  return earlier + later;
}

// Returns the prefix that the scan asks for. The exclusive one leaves out the item's own element, the inclusive one has it.
fn select_prefix(exclusive: Element, inclusive: Element) -> Element {
  return exclusive;
}

fn element_from_value(value: Value) -> Element {
  return value;
}

fn value_from_element(element: Element) -> Value {
  return element;
}

// The value of an exclusive prefix. Some operators start from another value than their identity: a sum of f64 has the
// identity -0, and starts from 0. For these, this function puts the start before the prefix.
fn value_from_exclusive(element: Element) -> Value {
  return element;
}

// Adds a total to the caller's counter in one atomic operation, and returns what the counter held before (only for
// functions that update a counter).
fn counter_update(total: Element) -> Element {
  return atomicAdd(&contract_counter, total);
}

var<workgroup> contract_counter: atomic<u32>;

// The capacity that all allocations share.
fn allocation_capacity() -> u32 {
  return 1024u;
}

// Sorts of a work-group only. The type of the values that move with keys; the words that hold a digit's counts, or one word of
// each item, with one more for each 32 of them; half the number of digits; the bits of a digit; the bits to sort by, from SORT_FROM up
// to, and without, SORT_TO; whether keys have two words; and whether values move with them.
alias Taken = u32;
const SORT_WORDS = 2112u;
const SORT_LANES = 8u;
const SORT_DIGIT = 4u;
const SORT_FROM = 0u;
const SORT_TO = 32u;
const SORT_WIDE = false;
const SORT_PAIRS = false;

// A key's bits (low word, high word), and the key of such bits.
fn bits_from_key(x: Value) -> vec2<u32> {
  return vec2<u32>(x, 0u);
}

fn key_from_bits(x: vec2<u32>) -> Value {
  return x.x;
}

// An unsigned integer (low word, high word) in the order of keys, for a key's bits.
fn sort_order(x: vec2<u32>) -> vec2<u32> {
  return x;
}

// Device-wide kernels only, from here on.

// Items are loaded and stored as vectors. VECTOR is how many items a vector has, VECTORS how many vectors a thread takes.
alias InputVector = vec4<u32>;
alias OutputVector = vec4<u32>;
const VECTOR = 4u;
const VECTORS = 1u;

// Subgroups take the vectors of their threads in rows. ROWS is how many rows they scan together: a power of two that
// divides VECTORS. ROW_CHUNKS is VECTORS / ROWS, ROW_STAGES is log2(ROWS), and ROW_PAIRS is ROWS / 2, but at least 1.
const ROWS = 1u;
const ROW_CHUNKS = 1u;
const ROW_STAGES = 0u;
const ROW_PAIRS = 1u;

fn input_items(vector: InputVector) -> array<Input, VECTOR> {
  return array<Input, VECTOR>(vector.x, vector.y, vector.z, vector.w);
}

fn input_vector(items: array<Input, VECTOR>) -> InputVector {
  return InputVector(items[0], items[1], items[2], items[3]);
}

fn output_items(vector: OutputVector) -> array<Output, VECTOR> {
  return array<Output, VECTOR>(vector.x, vector.y, vector.z, vector.w);
}

fn output_vector(items: array<Output, VECTOR>) -> OutputVector {
  return OutputVector(items[0], items[1], items[2], items[3]);
}

// The element that an item becomes. A caller's map takes the item's index, too.
fn element_from_item(item: Input, index: u32) -> Element {
  return item;
}

fn item_from_element(element: Element) -> Output {
  return element;
}

// An element in a range of its own: the initial value of a scan or a reduction, or the total of a scan.
alias Stored = u32;

fn element_from_stored(x: Stored) -> Element {
  return x;
}

fn stored_from_element(x: Element) -> Stored {
  return x;
}

// An element as 32-bit words. Work-groups hand these on one by one.
const ELEMENT_WORDS = 1u;

fn words_from_element(element: Element) -> array<u32, ELEMENT_WORDS> {
  return array<u32, ELEMENT_WORDS>(element);
}

fn element_from_words(words: array<u32, ELEMENT_WORDS>) -> Element {
  return words[0];
}

// How a single pass looks back. A group has FAN_OUT tiles. A tile looks through MOST_GROUPS groups, and waits for the carry
// of the farthest one. A group has GROUP_ENTRIES places in the spine: for its tiles, for its carry, and one that
// says who hands on the carry in place of its owner. A place has ENTRY_WORDS words: each has half of a word of the element.
const FAN_OUT = 16u;
const MOST_GROUPS = 64u;
const GROUP_ENTRIES = 18u;
const ENTRY_WORDS = 2u;
// By votes, the most groups that are read at the same time.
const MOST_AT_ONCE = 3u;

// How often a work-group tries to read what another one hands on, before it computes that itself.
const PATIENCE = 1000u;

// Compaction: whether an item is kept, and what is written for it.
fn keep(item: Input, index: u32) -> bool {
  return item != 0u;
}

fn kept_item(item: Input, index: u32) -> Output {
  return item;
}

// Indirect arguments: the items for each work-group, the most work-groups in a row, the vertices of an instance, and
// whether the draw uses an index buffer.
const ITEMS_PER_WORK_GROUP = 256u;
const MOST_WORK_GROUPS = 65535u;
const VERTEX_COUNT = 4u;
const INDEXED = false;

struct Call {
  // Items in the input. If a buffer has the length, the most items.
  length: u32,
  // Work-groups in a row of the dispatch: tile = row * grid_width + column.
  grid_width: u32,
  // The work-groups that have something to do. Most kernels take a tile with each: the tiles of that length.
  tiles: u32,
  // The entries of the spine: GROUP_ENTRIES for each group of tiles.
  spine_entries: u32,
  // Items that are loaded and stored as vectors. The items after these go one by one.
  wide_length: u32,
  // Where each range starts in its binding, since bindings start at aligned addresses. It is counted in vectors if the
  // range is bound as vectors, else in items. The member has the name of the variable that binds the range, as length_buffer_base
  // has. If there is no such member, it has the name of the range, as count_base has.
  input_base: u32,
  output_base: u32,
  input_end_base: u32,
  output_end_base: u32,
  flags_base: u32,
  count_base: u32,
  rest_base: u32,
  length_buffer_base: u32,
  indirect_base: u32,
  initial_base: u32,
  total_base: u32,
  heads_base: u32,
  keys_base: u32,
  offsets_base: u32,
  unique_base: u32,
  ends_base: u32,
  weights_base: u32,
  sorted_base: u32,
  sorted_count_base: u32,
  values_base: u32,
  reordered_base: u32,
  positions_base: u32,
  indices_base: u32,
  // The index of the first item as maps and predicates see it. It is not 0 if the input is a part of longer data.
  first_index: u32,
  // Only if the data goes in windows, because no binding holds it: the items of the windows before, the window's number, and
  // the place of the first item that the output's binding has.
  length_before: u32,
  window: u32,
  first_place: u32,
  // If work-groups are counted on the GPU: how many a row of the dispatch has that they are counted for.
  counted_grid_width: u32,
  // Segments: how many a pass combines or sorts, where rows and the chunks of a row or of a column are segments, too; and how many
  // totals, keys or items the output has room for.
  segment_count: u32,
  room: u32,
  // Matrices: the items of a row.
  columns: u32,
  // Columns: the rows of a chunk.
  chunk_rows: u32,
  // Rows: how many elements a pass combines for each row, which are items or totals of chunks; the most of these that a tile takes; and if
  // a row is longer than a tile, how many tiles it has. Of columns of several matrices, row_length is how many rows each matrix has.
  row_length: u32,
  tile_items: u32,
  row_tiles: u32,
  // Searches and gathers: how many items the range has that they look into, which are sorted for a search.
  sorted_length: u32,
  // Sorts and selections: which digit of the keys a pass is for, or of the indices of equal keys.
  digit: u32,
  // Selections: how many elements are taken, the first k in their order.
  k: u32,
  // Selections by blocks: the logarithm of a block's elements, and the place of the limit behind the numbers of blocks.
  block_shift: u32,
  limit_place: u32,
  // Selections of rows: the chunks of a row, and the most elements that are stored of each.
  row_chunks: u32,
  stored_per_chunk: u32,
}

@group(0) @binding(0) var<uniform> call: Call;

// The tile that holds the last item. If there is no item, it is the first tile.
fn last_tile(length: u32) -> u32 {
  return (max(length, 1u) - 1u) / TILE;
}
