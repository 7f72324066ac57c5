// How a tile of long items finds what comes before it. Thread 0 reads one entry after another, in one loop. So the text
// reads at one place, and combines at few, and a software adapter's compiler takes a fraction of the time. The threads of a
// software adapter would take turns to read anyway.
// Linked with look_back.wgsl, in place of look_back_threads.wgsl. Totals are grouped as in that file.
// Call in uniform control flow; all threads get the carry.
// Work-group memory: an element and a word.
// replaces: look_back, look_back_known, look_back_missing, look_back_group

// What comes before the group that thread 0 has come to; at the end, what comes before the tile.
var<workgroup> look_back_known: Element;

// The tile whose total is missing, or NONE_IS_MISSING.
var<workgroup> look_back_missing: u32;
const NONE_IS_MISSING = 0xffffffffu;

// Where thread 0 is: the group, and the tile in it; whether it still looks for a carry; and the combined totals of the
// group so far.
var<private> look_back_group: u32;
var<private> look_back_member: u32;
var<private> look_back_seeks: bool;
var<private> look_back_sum: Element;

// A total that was computed in place of its owner, and whether there is one.
var<private> look_back_computed: Entry;

fn look_back(tile: u32, total: Element, thread: u32, length: u32) {
  if (thread == 0u) {
    look_back_group = tile / FAN_OUT;
    look_back_seeks = true;
    look_back_sum = identity();
    look_back_known = identity();
  }
  loop {
    if (thread == 0u) {
      look_back_missing = find_missing(tile, total);
    }
    let missing = workgroupUniformLoad(&look_back_missing);
    if (missing == NONE_IS_MISSING) {
      break;
    }
    let computed = total_of_tile(missing, thread, length);
    if (thread == 0u) {
      write_place(params.spine_entries + entry_of_tile(missing), computed, 0u, 1u);
      look_back_computed = Entry(true, computed);
    }
  }
  look_back_carry = workgroupUniformLoad(&look_back_known);
}

// Combines what comes before the tile, from the nearest carry that is there, or from the first tile. If a total is not
// there, it stops, and returns the tile of that total. The next call goes on from there.
fn find_missing(tile: u32, total: Element) -> u32 {
  var missing = NONE_IS_MISSING;
  loop {
    let group = look_back_group;
    let other = group * FAN_OUT + look_back_member;
    look_back_seeks &= group > 0u;
    let seeks = look_back_seeks;
    let is_own = !seeks && other == tile;
    var found = look_back_computed;
    look_back_computed.is_whole = false;
    if (is_own) {
      found = Entry(true, total);
    }
    // It does not wait for a carry: if one is not there, it goes on to the group before.
    let entry = select(entry_of_tile(other), entry_of_carry(group), seeks);
    let attempts = select(2u * PATIENCE, 2u, seeks);
    for (var attempt = 0u; attempt < attempts && !found.is_whole; attempt++) {
      // Read what the owner handed on, and in the next attempt what another work-group did.
      found = read_place(entry + select(0u, params.spine_entries, attempt % 2u == 1u));
    }
    if (seeks) {
      if (found.is_whole) {
        look_back_known = found.element;
        look_back_seeks = false;
      } else {
        look_back_group--;
      }
      continue;
    }
    if (!found.is_whole) {
      missing = other;
      break;
    }
    if (!is_own && look_back_member < FAN_OUT - 1u) {
      look_back_sum = combine(look_back_sum, found.element);
      look_back_member++;
      continue;
    }
    let before = combine(look_back_known, look_back_sum);
    look_back_known = before;
    if (look_back_member == FAN_OUT - 1u) {
      let next = combine(before, found.element);
      if (is_own || claims_carry(group + 1u)) {
        write_place(entry_of_carry(group + 1u) + select(params.spine_entries, 0u, is_own), next, 0u, 1u);
      }
      if (!is_own) {
        look_back_known = next;
      }
    }
    if (is_own) {
      break;
    }
    look_back_group++;
    look_back_member = 0u;
    look_back_sum = identity();
  }
  return missing;
}
