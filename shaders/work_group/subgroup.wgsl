// Subgroups: each subgroup scans its own threads in registers, then the first one scans the totals.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix, and all get the total, which is uniform in _uniform functions.
// Work-group memory: one element for each MIN_SUBGROUP_SIZE threads, two more and a word;
// reusable when a function returns.
//
// Linked after subgroup_place.wgsl: if lanes do not map to threads in the usual way, threads take turns, one after another.

struct WorkGroupScan {
  prefix: Element,
  total: Element,
}

// There is a slot for each MIN_SUBGROUP_SIZE threads. A subgroup uses the first of its slots.

// Holds the subgroups' totals at first, and later their exclusive prefixes. The last entry holds the work-group's total.
var<workgroup> subgroup_totals: array<Element, SUBGROUP_SLOTS + 1u>;
var<workgroup> subgroup_turn: Element;

// Publishes the subgroup's total. Returns the size of the subgroups, or 0 if lanes do not map to threads in the usual way.
// The result is uniform.
fn subgroup_publish(place: SubgroupPlace, prefix: Element) -> u32 {
  if (place.regular && place.rank + 1u == place.count) {
    subgroup_totals[place.first / MIN_SUBGROUP_SIZE] = prefix;
  }
  return subgroup_size(place);
}

// The first subgroup replaces the totals by their exclusive prefixes, and stores the work-group's total after them. A
// barrier must come before a thread reads them.
fn subgroup_scan_totals(place: SubgroupPlace, size: u32, local_index: u32) {
  let step = size / MIN_SUBGROUP_SIZE;
  let subgroups = (WORK_GROUP_SIZE + size - 1u) / size;
  // The first subgroup has `size` threads, or all threads of the work-group.
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
}

// One thread after another hands over its element. This is right however lanes map to threads. Returns the prefix, and
// stores the total where subgroup_scan_totals does.
fn subgroup_take_turns(element: Element, local_index: u32) -> Element {
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
  if (local_index == 0u) {
    subgroup_totals[SUBGROUP_SLOTS] = total;
  }
  return prefix;
}

// Returns each thread's exclusive prefix. Afterwards all threads may read the work-group's total. Then a barrier must
// follow.
fn subgroup_prefix(element: Element, local_index: u32) -> Element {
  let place = subgroup_place(local_index);
  let inclusive = subgroup_scan_inclusive(element, place.rank);
  var prefix = element_shuffle_up(inclusive, 1u);
  if (place.rank == 0u) {
    prefix = identity();
  }
  let size = subgroup_publish(place, inclusive);
  if (size == 0u) {
    prefix = subgroup_take_turns(element, local_index);
    workgroupBarrier();
  } else {
    subgroup_scan_totals(place, size, local_index);
    workgroupBarrier();
    prefix = combine(subgroup_totals[place.first / MIN_SUBGROUP_SIZE], prefix);
  }
  return prefix;
}

fn work_group_scan_exclusive(element: Element, local_index: u32) -> WorkGroupScan {
  let prefix = subgroup_prefix(element, local_index);
  let total = subgroup_totals[SUBGROUP_SLOTS];
  workgroupBarrier();
  return WorkGroupScan(prefix, total);
}

fn work_group_scan_inclusive(element: Element, local_index: u32) -> WorkGroupScan {
  let scan = work_group_scan_exclusive(element, local_index);
  return WorkGroupScan(combine(scan.prefix, element), scan.total);
}

fn work_group_scan_exclusive_uniform(
  element: Element,
  local_index: u32,
  total: ptr<function, Element>,
) -> Element {
  let prefix = subgroup_prefix(element, local_index);
  *total = workgroupUniformLoad(&subgroup_totals[SUBGROUP_SLOTS]);
  return prefix;
}

fn work_group_scan_inclusive_uniform(
  element: Element,
  local_index: u32,
  total: ptr<function, Element>,
) -> Element {
  return combine(work_group_scan_exclusive_uniform(element, local_index, total), element);
}

// The total alone. The result is uniform.
fn work_group_reduce(element: Element, local_index: u32) -> Element {
  let place = subgroup_place(local_index);
  let inclusive = subgroup_scan_inclusive(element, place.rank);
  let size = subgroup_publish(place, inclusive);
  if (size == 0u) {
    _ = subgroup_take_turns(element, local_index);
  } else {
    subgroup_scan_totals(place, size, local_index);
  }
  return workgroupUniformLoad(&subgroup_totals[SUBGROUP_SLOTS]);
}
