// Scans each column of a matrix, as scan_columns.wgsl, with several threads for each column. A work-group takes COLUMN_BLOCK
// columns of one chunk, and goes down their rows in tiles. In a tile, a thread takes ITEMS rows of one column. What comes
// before them is what comes before the tile and the totals of the threads above, combined one after another.
// Linked with contract.wgsl, chunks.wgsl, an input and an output of single items, length_*.wgsl and carry_*.wgsl.
// Dispatch at least one work-group for each block of each chunk. Work-groups past the last block store nothing.
// Work-group memory: two elements for each thread. It takes turns with them, so that a tile needs one barrier.

const COLUMN_GROUPS = WORK_GROUP_SIZE / COLUMN_BLOCK;

var<workgroup> column_totals: array<Element, 2u * WORK_GROUP_SIZE>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_column_blocks(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let block = work_group.y * call.grid_width + work_group.x;
  let blocks = (call.columns + COLUMN_BLOCK - 1u) / COLUMN_BLOCK;
  let own = local_index % COLUMN_BLOCK;
  let column = block % blocks * COLUMN_BLOCK + own;
  let place = block / blocks * call.columns + column;
  let run = run_at(place, data_length());
  // Threads past the last column, or the last chunk, take no item.
  let count = select(0u, run.count, column < call.columns);
  var before = identity();
  if (count > 0u) {
    before = load_carry(carry_place(place));
  }
  let group = local_index / COLUMN_BLOCK;
  var turn = 0u;
  for (var first = 0u; first < call.chunk_rows; first += COLUMN_GROUPS * ITEMS) {
    let row = first + group * ITEMS;
    let index = run.first + row * call.columns;
    let left = count - min(count, row);
    var elements: array<Element, ITEMS>;
    if (left >= ITEMS) {
      // All loads come before the first combination, so that no load waits for another.
      for (var item = 0u; item < ITEMS; item++) { // unroll
        let at = index + item * call.columns;
        elements[item] = element_from_item(read_item(at), at);
      }
    } else {
      for (var item = 0u; item < ITEMS; item++) { // unroll
        elements[item] = identity();
        if (item < left) {
          let at = index + item * call.columns;
          elements[item] = element_from_item(read_item(at), at);
        }
      }
    }
    var total = identity();
    for (var item = 0u; item < ITEMS; item++) { // unroll
      total = combine(total, elements[item]);
    }
    column_totals[turn + local_index] = total;
    workgroupBarrier();
    var prefix = before;
    for (var other = 0u; other < COLUMN_GROUPS; other++) {
      if (other == group) {
        prefix = before;
      }
      before = combine(before, column_totals[turn + other * COLUMN_BLOCK + own]);
    }
    turn = WORK_GROUP_SIZE - turn;
    // No other thread reads or writes these items, so input and output may be the same range.
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let earlier = prefix;
      prefix = combine(prefix, elements[item]);
      if (item < left) {
        write_item(index + item * call.columns, item_from_element(select_prefix(earlier, prefix)));
      }
    }
  }
}
