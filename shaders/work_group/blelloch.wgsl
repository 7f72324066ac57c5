// Blelloch: totals are combined up a binary tree, and prefixes handed down it.
// Work-efficient: about 2n combinations in 2 * ceil(log2 n) steps, one barrier a step.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix, and all get the total, which is uniform in _uniform functions.
// Work-group memory: WORK_GROUP_SIZE elements, rounded up to a power of two, and one more for
// each 32 of them; reusable when a function returns.
// Source: Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990.

struct WorkGroupScan {
  prefix: Element,
  total: Element,
}

// The leaves are the threads' elements, and padding that holds the identity.
var<workgroup> blelloch_tree: array<Element, BLELLOCH_PLACES>;

// Strides of powers of two would all hit the same one of 32 banks. A gap after every 32 elements spreads them.
fn blelloch_place(leaf: u32) -> u32 {
  return leaf + (leaf >> 5u);
}

// Up-sweep: after a barrier, the last leaf of each subtree holds that subtree's total.
fn blelloch_up_sweep(element: Element, local_index: u32) {
  blelloch_tree[blelloch_place(local_index)] = element;
  if (WORK_GROUP_SIZE < BLELLOCH_LEAVES && local_index + WORK_GROUP_SIZE < BLELLOCH_LEAVES) {
    blelloch_tree[blelloch_place(local_index + WORK_GROUP_SIZE)] = identity();
  }
  for (var half = 1u; half < BLELLOCH_LEAVES; half <<= 1u) {
    workgroupBarrier();
    let last = (local_index + 1u) * 2u * half - 1u;
    if (last < BLELLOCH_LEAVES) {
      let left = blelloch_place(last - half);
      let right = blelloch_place(last);
      blelloch_tree[right] = combine(blelloch_tree[left], blelloch_tree[right]);
    }
  }
}

fn work_group_scan_exclusive_uniform(
  element: Element,
  local_index: u32,
  total: ptr<function, Element>,
) -> Element {
  blelloch_up_sweep(element, local_index);
  let root = blelloch_place(BLELLOCH_LEAVES - 1u);
  *total = workgroupUniformLoad(&blelloch_tree[root]);
  if (local_index == 0u) {
    blelloch_tree[root] = identity();
  }
  // Down-sweep: the left child takes its parent's prefix. The right child takes that prefix combined with the left total.
  for (var half = BLELLOCH_LEAVES >> 1u; half > 0u; half >>= 1u) {
    let last = (local_index + 1u) * 2u * half - 1u;
    if (last < BLELLOCH_LEAVES) {
      let left = blelloch_place(last - half);
      let right = blelloch_place(last);
      let left_total = blelloch_tree[left];
      let before = blelloch_tree[right];
      blelloch_tree[left] = before;
      blelloch_tree[right] = combine(before, left_total);
    }
    workgroupBarrier();
  }
  return blelloch_tree[blelloch_place(local_index)];
}

fn work_group_scan_inclusive_uniform(
  element: Element,
  local_index: u32,
  total: ptr<function, Element>,
) -> Element {
  return combine(work_group_scan_exclusive_uniform(element, local_index, total), element);
}

fn work_group_scan_exclusive(element: Element, local_index: u32) -> WorkGroupScan {
  var total: Element;
  let prefix = work_group_scan_exclusive_uniform(element, local_index, &total);
  return WorkGroupScan(prefix, total);
}

fn work_group_scan_inclusive(element: Element, local_index: u32) -> WorkGroupScan {
  let scan = work_group_scan_exclusive(element, local_index);
  return WorkGroupScan(combine(scan.prefix, element), scan.total);
}

// The total alone, which takes only the up-sweep. The result is uniform.
fn work_group_reduce(element: Element, local_index: u32) -> Element {
  blelloch_up_sweep(element, local_index);
  return workgroupUniformLoad(&blelloch_tree[blelloch_place(BLELLOCH_LEAVES - 1u)]);
}
