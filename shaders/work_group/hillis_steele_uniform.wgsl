// The scans of hillis_steele.wgsl with a total that is uniform: it may steer control flow with barriers in it.
// Linked after hillis_steele.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix, and all get the total in a variable of their own.
// Work-group memory: that of hillis_steele.wgsl; reusable when a function returns.

fn work_group_scan_inclusive_uniform(
  element: Element,
  local_index: u32,
  total: ptr<function, Element>,
) -> Element {
  let side = hillis_steele_prefixes(element, local_index);
  let prefix = hillis_steele_elements[side + local_index];
  *total = workgroupUniformLoad(&hillis_steele_elements[side + WORK_GROUP_SIZE - 1u]);
  return prefix;
}

fn work_group_scan_exclusive_uniform(
  element: Element,
  local_index: u32,
  total: ptr<function, Element>,
) -> Element {
  let side = hillis_steele_prefixes(element, local_index);
  workgroupBarrier();
  var prefix = identity();
  if (local_index > 0u) {
    prefix = hillis_steele_elements[side + local_index - 1u];
  }
  *total = workgroupUniformLoad(&hillis_steele_elements[side + WORK_GROUP_SIZE - 1u]);
  return prefix;
}
