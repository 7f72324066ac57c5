// A scan in a single pass whose output is the range of its input. Nobody may compute another tile's total from items that may be
// written over by then. So a tile that does not find what comes before it leaves its items as they are, and says so. A second
// dispatch scans the tiles that are left: it sees all that the first one handed on, since WebGPU promises the order of dispatches.
// In both, only the work-group that takes a tile reads or writes the tile's items.
//
// The totals of tiles are not handed on in place of their owners here. So the first word of that place says that a tile is left:
// it has the number of the run alone, and no tag.
//
// Linked with scan_single_pass.wgsl and what that is linked with, and with total_handed_on.wgsl. Faults may delay what is handed on in the first dispatch, but not
// withhold it from the second.
// Dispatch at least one work-group for each tile, and then scan_left_tiles, one for each WORK_GROUP_SIZE tiles.
// Work-group memory: that of scan_single_pass; in the second dispatch also a word.
// replaces: take_tile

fn take_tile(tile: u32, thread: u32, length: u32) {
  let elements = load_items(tile, thread, length);
  let scan = begin_scan(elements, thread);
  hand_on(tile, scan.total, thread);
  let run = run_of(scan, elements);
  let before = before_run(scan);
  find_carry(tile, scan.total, thread);
  if (workgroupUniformLoad(&look_back_is_found) == 0u) {
    if (thread == 0u) {
      atomicStore(&spine[place_of_left(tile)], run_number());
    }
    return;
  }
  look_back_carry = look_back_found;
  store_prefixes(tile, thread, length, finish_run(run, combine(carry(), before)));
  store_last_total(tile, thread, length, scan.total);
}

fn place_of_left(tile: u32) -> u32 {
  return first_word_of(call.spine_entries + entry_of_tile(tile));
}

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_left_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let thread = work_group_thread(invocation);
  let length = data_length();
  let own = (work_group.y * call.grid_width + work_group.x) * WORK_GROUP_SIZE + thread;
  var is_left = own <= last_tile(length) && atomicLoad(&spine[place_of_left(own)]) == run_number();
  loop {
    if (is_left) {
      atomicMax(&next_left, ~own);
    }
    let tile = ~workgroupUniformLoad(&next_left);
    if (tile == NONE_IS_LEFT) {
      break;
    }
    if (tile == own) {
      is_left = false;
      atomicStore(&next_left, 0u);
    }
    take_left_tile(tile, thread, length);
  }
}

// The next of the work-group's tiles that is left, as a complement.
var<workgroup> next_left: atomic<u32>;
const NONE_IS_LEFT = 0xffffffffu;

// Scans a tile that is left. Call in uniform control flow.
fn take_left_tile(tile: u32, thread: u32, length: u32) {
  let elements = load_items(tile, thread, length);
  let scan = begin_scan(elements, thread);
  let run = run_of(scan, elements);
  let before = before_run(scan);
  look_back_again(tile, scan.total, thread, length);
  store_prefixes(tile, thread, length, finish_run(run, combine(carry(), before)));
  store_last_total(tile, thread, length, scan.total);
}
