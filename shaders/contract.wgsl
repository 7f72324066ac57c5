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
const TILE = WORK_GROUP_SIZE * ITEMS;

// Consecutive threads that work together, a power of two (thread-tile functions only).
const THREAD_TILE = 8u;

// An exclusive prefix leaves out the element at its own place.
const EXCLUSIVE = true;

// Bounds on the adapter's subgroup size (subgroup shaders only).
const MIN_SUBGROUP_SIZE = 4u;
const MAX_SUBGROUP_SIZE = 128u;

// The operator: associative, not necessarily commutative.
fn identity() -> Element {
  return 0u;
}

fn combine(earlier: Element, later: Element) -> Element {
  return earlier + later;
}

fn element_from_value(value: Value) -> Element {
  return value;
}

fn value_from_element(element: Element) -> Value {
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

struct Params {
  // Items in the input.
  length: u32,
  // Work-groups in a row of the dispatch: tile = row * grid_width + column.
  grid_width: u32,
  // Where each range starts in its binding, in items. Bindings start at aligned addresses.
  input_base: u32,
  output_base: u32,
  flags_base: u32,
  total_base: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

// The element at a place below params.length, and its way back.
fn load(index: u32) -> Element {
  return read_item(index);
}

fn store(index: u32, element: Element) {
  write_item(index, element);
}

// Compaction: whether the item at a place below params.length is kept, and what is written for it.
fn keep(index: u32) -> bool {
  return read_item(index) != 0u;
}

fn kept_item(index: u32) -> Output {
  return read_item(index);
}
