// Hillis–Steele: each thread's element is combined with the one 1, 2, 4 … places before it.
// Step-efficient: ceil(log2 n) steps of n combinations, one barrier a step.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix, and all get the total.
// Work-group memory: 2 * WORK_GROUP_SIZE elements, reusable when a function returns.
// Source: Hillis, Steele, "Data Parallel Algorithms", CACM 29 (12), 1986.

struct WorkGroupScan {
  prefix: Element,
  total: Element,
}

// Two sides, written in turn, so that one barrier separates a step's reads from its writes.
var<workgroup> hillis_steele_elements: array<Element, 2u * WORK_GROUP_SIZE>;

// Leaves the inclusive prefixes in one side, and returns where that side starts. A barrier must come before a thread reads
// what another one wrote.
fn hillis_steele_prefixes(element: Element, local_index: u32) -> u32 {
  var side = 0u;
  var prefix = element;
  hillis_steele_elements[local_index] = prefix;
  for (var distance = 1u; distance < WORK_GROUP_SIZE; distance <<= 1u) {
    workgroupBarrier();
    if (local_index >= distance) {
      prefix = combine(hillis_steele_elements[side + local_index - distance], prefix);
    }
    side = WORK_GROUP_SIZE - side;
    hillis_steele_elements[side + local_index] = prefix;
  }
  return side;
}

fn work_group_scan_inclusive(element: Element, local_index: u32) -> WorkGroupScan {
  let side = hillis_steele_prefixes(element, local_index);
  workgroupBarrier();
  let prefix = hillis_steele_elements[side + local_index];
  let total = hillis_steele_elements[side + WORK_GROUP_SIZE - 1u];
  workgroupBarrier();
  return WorkGroupScan(prefix, total);
}

fn work_group_scan_exclusive(element: Element, local_index: u32) -> WorkGroupScan {
  let side = hillis_steele_prefixes(element, local_index);
  workgroupBarrier();
  var prefix = identity();
  if (local_index > 0u) {
    prefix = hillis_steele_elements[side + local_index - 1u];
  }
  let total = hillis_steele_elements[side + WORK_GROUP_SIZE - 1u];
  workgroupBarrier();
  return WorkGroupScan(prefix, total);
}
