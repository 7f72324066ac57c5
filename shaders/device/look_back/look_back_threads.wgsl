// How a tile finds what comes before it without votes. A few threads read each group: every one of them reads one total and
// the carry, and decides by itself how far it reads.
// Linked with look_back.wgsl. Call in uniform control flow.
// Work-group memory: FAN_OUT * (MOST_GROUPS + 1) + MOST_GROUPS elements and a word.

// What the threads read: the totals of each group, by the group's distance from the tile's own; and the carry that each
// thread found.
var<workgroup> look_back_totals: array<Element, FAN_OUT * MOST_GROUPS>;
var<workgroup> look_back_carries: array<Element, FAN_OUT>;

// The nearest place at which a thread stopped: the group's distance, CARRY_IS_FOUND if the thread found a carry there, and
// the thread. It is kept as a complement, so that atomicMax keeps the nearest. A thread that found a carry counts only if
// no thread lacks what it should read of that group or of a nearer one.
var<workgroup> look_back_stops: atomic<u32>;

// Notes that a thread lacks what it should read of this group.
fn stop_before(away: u32) {
  atomicMax(&look_back_stops, ~(away << STOP_BITS));
}

// Notes that a thread has the group's carry.
fn stop_at(away: u32, thread: u32, carry: Element) {
  look_back_carries[thread] = carry;
  atomicMax(&look_back_stops, ~((away << STOP_BITS) + CARRY_IS_FOUND + thread));
}

// The combined totals of each group's tiles but the last, by the group's distance.
var<workgroup> look_back_sums: array<Element, MOST_GROUPS>;

fn find_carry(tile: u32, total: Element, thread: u32) {
  if (thread < FAN_OUT) {
    read_groups(tile, thread);
  }
  let stop = ~workgroupUniformLoad(&look_back_stops);
  if ((stop & CARRY_IS_FOUND) != 0u && stop != NOBODY_STOPPED) {
    let nearest = stop >> STOP_BITS;
    for (var away = thread; away <= nearest; away += WORK_GROUP_SIZE) {
      var sum = identity();
      for (var member = 0u; member < FAN_OUT - 1u; member++) {
        sum = combine(sum, look_back_totals[away * FAN_OUT + member]);
      }
      look_back_sums[away] = sum;
    }
    workgroupBarrier();
    if (thread == 0u) {
      // Combine from the farthest group to the tile's own.
      var before = look_back_carries[stop % CARRY_IS_FOUND];
      for (var away = nearest; away > 0u; away--) {
        before = combine(combine(before, look_back_sums[away]), look_back_totals[away * FAN_OUT + FAN_OUT - 1u]);
      }
      before = combine(before, look_back_sums[0]);
      look_back_found = before;
      look_back_is_found = 1u;
      if (tile % FAN_OUT == FAN_OUT - 1u) {
        write_place(entry_of_carry(tile / FAN_OUT + 1u), combine(before, total), 0u, 1u);
      }
    }
  }
}

// Reads groups backwards from the tile's own, until this thread finds a carry. Threads may find different carries.
fn read_groups(tile: u32, thread: u32) {
  for (var away = 0u; away < MOST_GROUPS; away++) {
    let group = tile / FAN_OUT - away;
    let is_last = away == MOST_GROUPS - 1u;
    var total = Entry(away == 0u && thread >= tile % FAN_OUT, identity());
    var carry = Entry(group == 0u, identity());
    for (var attempt = 0u; attempt < PATIENCE; attempt++) {
      if (!total.is_whole) {
        total = read_place(entry_of_tile(group * FAN_OUT + thread));
      }
      if (!carry.is_whole) {
        carry = read_place(entry_of_carry(group));
      }
      if (total.is_whole && (carry.is_whole || !is_last)) {
        break;
      }
    }
    if (!carry.is_whole && (is_last || !total.is_whole)) {
      carry = read_place(call.spine_entries + entry_of_carry(group));
    }
    if (!total.is_whole) {
      total = read_place(call.spine_entries + entry_of_tile(group * FAN_OUT + thread));
    }
    if (!total.is_whole) {
      stop_before(away);
      return;
    }
    look_back_totals[away * FAN_OUT + thread] = total.element;
    if (carry.is_whole) {
      stop_at(away, thread, carry.element);
      return;
    }
  }
  stop_before(MOST_GROUPS);
}

// Combines the totals of a group's earlier tiles with the next one: they are combined one after another.
fn with_total(sum: Element, total: Element, member: u32) -> Element {
  return combine(sum, total);
}

fn sum_of_totals(sum: Element) -> Element {
  return sum;
}
