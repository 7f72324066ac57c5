// One thread adds the work-group's total to the caller's counter, in one atomic operation. Several work-groups may share
// the counter, and may add in any order.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// All threads get what the counter held before.
// Work-group memory: one element.

var<workgroup> update_earlier: Element;

// What the counter held before. The result is uniform.
fn work_group_update(total: Element, local_index: u32) -> Element {
  if (local_index == 0u) {
    update_earlier = counter_update(total);
  }
  return workgroupUniformLoad(&update_earlier);
}
