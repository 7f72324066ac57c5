// Scans rows that are longer than a tile, each in a single pass of its own. Each work-group takes one tile of one row, and looks
// back at the tiles before it in the row. All rows have as many tiles, call.row_tiles, which are counted from the row's start. The
// groups of a row's tiles lie behind those of the row before in the spine.
// Linked with contract.wgsl, an algorithm, an input and an output of vectors, length_*.wgsl,
// look_back.wgsl, entries_of_rows.wgsl and tile_*.wgsl. The output must not overlap the input. Each row starts at a vector.
// Dispatch at least one work-group for each tile. Work-groups past the last tile end at once.
// Work-group memory: the algorithm's, and the look-back's.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_long_rows(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let number = tile_of(work_group, thread);
  let row = number / call.row_tiles;
  let tile = number % call.row_tiles;
  let length = data_length();
  let first = row * call.columns;
  let end = min(first + call.columns, length);
  // A row that the data ends in has fewer tiles.
  if (number >= call.tiles || first + tile * TILE >= end) {
    return;
  }
  long_row_first = first / VECTOR;
  long_row_end = end;
  long_row_group = row * (call.row_tiles / FAN_OUT + 1u);

  let elements = load_part(tile, thread);
  let scan = begin_scan(elements, thread);
  hand_on(tile, scan.total, thread);
  // As in scan_single_pass.wgsl, the slow part of the scan comes before the wait for other tiles.
  let run = run_of(scan, elements);
  let before = before_run(scan);
  look_back(tile, scan.total, thread, length);
  store_part(tile, thread, finish_run(run, combine(carry(), before)));
}

// The work-group's row: its first vector, and the index after its last item.
var<private> long_row_first: u32;
var<private> long_row_end: u32;

fn is_whole_part(tile: u32) -> bool {
  return long_row_first * VECTOR + (tile + 1u) * TILE <= min(long_row_end, call.wide_length);
}

fn load_part(tile: u32, thread: u32) -> array<Element, ITEMS> {
  var elements: array<Element, ITEMS>;
  if (is_whole_part(tile)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = long_row_first + vector_of(tile, thread, vector);
      var items = input_items(read_vector(place));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        elements[vector * VECTOR + item] = element_from_item(items[item], place * VECTOR + item);
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = long_row_first + vector_of(tile, thread, vector);
      var items = read_edge(place, long_row_end);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        elements[vector * VECTOR + item] = identity();
        if (place * VECTOR + item < long_row_end) {
          elements[vector * VECTOR + item] = element_from_item(items[item], place * VECTOR + item);
        }
      }
    }
  }
  return elements;
}

fn store_part(tile: u32, thread: u32, prefixes: array<Element, ITEMS>) {
  var own = prefixes;
  var items: array<Output, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    items[item] = item_from_element(own[item]);
  }
  let is_whole = is_whole_part(tile);
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var part: array<Output, VECTOR>;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      part[item] = items[vector * VECTOR + item];
    }
    let place = long_row_first + vector_of(tile, thread, vector);
    if (is_whole || (place + 1u) * VECTOR <= min(long_row_end, call.wide_length)) {
      write_vector(place, output_vector(part));
    } else {
      write_edge(place, long_row_end, part);
    }
  }
}

// Combines `before` with the items of a vector, which is counted from the row's start. Only for a tile whose total another
// work-group computes. Later tiles of the row wait for that total, so all items of the tile are the row's.
fn combine_vector(before: Element, place: u32, length: u32) -> Element {
  let vector = long_row_first + place;
  var items = read_edge(vector, long_row_end);
  var sum = before;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    sum = combine(sum, element_from_item(items[item], vector * VECTOR + item));
  }
  return sum;
}
