// What segmented scans and reductions of a work-group or a thread tile share.
// Linked after segmented_element.wgsl.
// Call segmented_total in uniform control flow, with local_index = @builtin(local_invocation_index). Threads call the other
// functions anywhere.
// Each thread gets its own results.
// Work-group memory: WORK_GROUP_SIZE elements for segmented_total, reusable when it returns.

fn segmented_element(value: Value, is_head: bool, local_index: u32) -> SegmentedElement {
  return SegmentedElement(element_from_value(value), select(0u, local_index + 1u, is_head));
}

// The exclusive prefix in the thread's segment. `before` combines all threads before it.
fn segmented_exclusive(own: SegmentedElement, before: SegmentedElement) -> Value {
  if (own.head != 0u) {
    return value_from_exclusive(identity());
  }
  return value_from_exclusive(before.element);
}

// By the place of its head, a segment's total.
var<workgroup> segmented_totals: array<Element, WORK_GROUP_SIZE>;

// The total of the thread's segment. `before` combines all threads before it, and `all` all threads of the work-group or the
// tile, whose first thread has a head.
fn segmented_total(own: SegmentedElement, before: SegmentedElement, all: SegmentedElement) -> Value {
  // A head has before it the whole segment that ends there.
  if (own.head != 0u && before.head != 0u) {
    segmented_totals[before.head - 1u] = before.element;
  }
  workgroupBarrier();
  let head = select(before.head, own.head, own.head != 0u);
  // Nothing comes after the last segment, so no thread has written its total.
  var total = all.element;
  if (head != all.head) {
    total = segmented_totals[head - 1u];
  }
  workgroupBarrier();
  return value_from_element(total);
}
