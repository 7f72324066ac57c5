// Subgroups: each subgroup scans its own threads in registers, then the first one scans the totals.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix, and all get the total.
// Work-group memory: one element for each MIN_SUBGROUP_SIZE threads, two more and a word;
// reusable when a function returns.
//
// Linked after subgroup_place.wgsl: where lanes do not map to threads in the usual way, threads take
// their turns one after another.

struct WorkGroupScan {
  prefix: Element,
  total: Element,
}

// A slot holds the elements of MIN_SUBGROUP_SIZE threads. A larger subgroup uses the first of its slots.
const SUBGROUP_SLOTS = (WORK_GROUP_SIZE + MIN_SUBGROUP_SIZE - 1u) / MIN_SUBGROUP_SIZE;

// The slots' totals, then their exclusive prefixes; the work-group's total stands last.
var<workgroup> subgroup_totals: array<Element, SUBGROUP_SLOTS + 1u>;
var<workgroup> subgroup_turn: Element;
var<workgroup> subgroup_irregular: atomic<u32>;

// Publishes the subgroups' totals, and returns whether all subgroups are regular (a uniform value).
fn subgroup_publish(place: SubgroupPlace, prefix: Element, local_index: u32) -> bool {
  if (!place.regular) {
    atomicStore(&subgroup_irregular, 1u);
  } else {
    // A larger subgroup's further slots hold the identity.
    if (local_index % MIN_SUBGROUP_SIZE == 0u && place.rank != 0u) {
      subgroup_totals[local_index / MIN_SUBGROUP_SIZE] = identity();
    }
    if (place.rank + 1u == place.count) {
      subgroup_totals[place.first / MIN_SUBGROUP_SIZE] = prefix;
    }
  }
  return workgroupUniformLoad(&subgroup_irregular) == 0u;
}

// The first subgroup replaces the slots' totals by their exclusive prefixes, and adds the total.
fn subgroup_scan_totals(place: SubgroupPlace, local_index: u32) {
  var carry = identity();
  for (var start = 0u; start < SUBGROUP_SLOTS; start += MIN_SUBGROUP_SIZE) {
    let slot = start + place.rank;
    let mine = place.first == 0u && place.rank < MIN_SUBGROUP_SIZE && slot < SUBGROUP_SLOTS;
    var total = identity();
    if (mine) {
      total = subgroup_totals[slot];
    }
    let inclusive = subgroup_scan_inclusive(total, place.rank);
    var exclusive = element_shuffle_up(inclusive, 1u);
    if (place.rank == 0u) {
      exclusive = identity();
    }
    if (mine) {
      subgroup_totals[slot] = combine(carry, exclusive);
    }
    carry = combine(carry, element_shuffle(inclusive, min(MIN_SUBGROUP_SIZE, SUBGROUP_SLOTS - start) - 1u));
  }
  if (local_index == 0u) {
    subgroup_totals[SUBGROUP_SLOTS] = carry;
  }
  workgroupBarrier();
}

// One thread after another hands over its element: right under any map of lanes to threads.
fn subgroup_take_turns(element: Element, local_index: u32) -> WorkGroupScan {
  var prefix = identity();
  var total = identity();
  for (var turn = 0u; turn < WORK_GROUP_SIZE; turn++) {
    if (local_index == turn) {
      prefix = total;
      subgroup_turn = element;
    }
    workgroupBarrier();
    total = combine(total, subgroup_turn);
    workgroupBarrier();
  }
  return WorkGroupScan(prefix, total);
}

fn work_group_scan_exclusive(element: Element, local_index: u32) -> WorkGroupScan {
  let place = subgroup_place(local_index);
  let inclusive = subgroup_scan_inclusive(element, place.rank);
  var exclusive = element_shuffle_up(inclusive, 1u);
  if (place.rank == 0u) {
    exclusive = identity();
  }
  if (!subgroup_publish(place, inclusive, local_index)) {
    return subgroup_take_turns(element, local_index);
  }
  subgroup_scan_totals(place, local_index);
  let prefix = combine(subgroup_totals[place.first / MIN_SUBGROUP_SIZE], exclusive);
  let total = subgroup_totals[SUBGROUP_SLOTS];
  workgroupBarrier();
  return WorkGroupScan(prefix, total);
}

fn work_group_scan_inclusive(element: Element, local_index: u32) -> WorkGroupScan {
  let scan = work_group_scan_exclusive(element, local_index);
  return WorkGroupScan(combine(scan.prefix, element), scan.total);
}

// The total alone. The result is uniform.
fn work_group_reduce(element: Element, local_index: u32) -> Element {
  let place = subgroup_place(local_index);
  let inclusive = subgroup_scan_inclusive(element, place.rank);
  if (!subgroup_publish(place, inclusive, local_index)) {
    let total = subgroup_take_turns(element, local_index).total;
    if (local_index == 0u) {
      subgroup_turn = total;
    }
    return workgroupUniformLoad(&subgroup_turn);
  }
  subgroup_scan_totals(place, local_index);
  return workgroupUniformLoad(&subgroup_totals[SUBGROUP_SLOTS]);
}
