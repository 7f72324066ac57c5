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

// A slot for each MIN_SUBGROUP_SIZE threads. A subgroup uses the first of its slots.
const SUBGROUP_SLOTS = (WORK_GROUP_SIZE + MIN_SUBGROUP_SIZE - 1u) / MIN_SUBGROUP_SIZE;

// The subgroups' totals, then their exclusive prefixes; the work-group's total stands last.
var<workgroup> subgroup_totals: array<Element, SUBGROUP_SLOTS + 1u>;
var<workgroup> subgroup_turn: Element;

// Publishes the subgroup's total, and returns the subgroups' size, or 0: a uniform value.
fn subgroup_publish(place: SubgroupPlace, prefix: Element) -> u32 {
  if (place.regular && place.rank + 1u == place.count) {
    subgroup_totals[place.first / MIN_SUBGROUP_SIZE] = prefix;
  }
  return subgroup_size(place);
}

// The first subgroup replaces the totals by their exclusive prefixes, and adds the total.
fn subgroup_scan_totals(place: SubgroupPlace, size: u32, local_index: u32) {
  let step = size / MIN_SUBGROUP_SIZE;
  let subgroups = (WORK_GROUP_SIZE + size - 1u) / size;
  // The first subgroup has `size` threads, or all that there are.
  let width = min(size, WORK_GROUP_SIZE);
  var carry = identity();
  for (var start = 0u; start < subgroups; start += width) {
    let at = start + place.rank;
    let mine = place.first == 0u && at < subgroups;
    var total = identity();
    if (mine) {
      total = subgroup_totals[at * step];
    }
    let inclusive = subgroup_scan_inclusive(total, place.rank);
    var exclusive = element_shuffle_up(inclusive, 1u);
    if (place.rank == 0u) {
      exclusive = identity();
    }
    if (mine) {
      subgroup_totals[at * step] = combine(carry, exclusive);
    }
    carry = combine(carry, element_shuffle(inclusive, min(width, subgroups - start) - 1u));
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
  let size = subgroup_publish(place, inclusive);
  if (size == 0u) {
    return subgroup_take_turns(element, local_index);
  }
  subgroup_scan_totals(place, size, local_index);
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
  let size = subgroup_publish(place, inclusive);
  if (size == 0u) {
    let total = subgroup_take_turns(element, local_index).total;
    if (local_index == 0u) {
      subgroup_turn = total;
    }
    return workgroupUniformLoad(&subgroup_turn);
  }
  subgroup_scan_totals(place, size, local_index);
  return workgroupUniformLoad(&subgroup_totals[SUBGROUP_SLOTS]);
}
