// The total alone, in the work-group memory of hillis_steele.wgsl: a tree of ceil(log2 n) steps, one
// barrier a step, in which a thread combines only while it still leads a run.
// Linked after hillis_steele.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// All threads get the total: the result is uniform.
// Work-group memory: that of hillis_steele.wgsl, of which it uses half; reusable when the function returns.

fn work_group_reduce(element: Element, local_index: u32) -> Element {
  hillis_steele_elements[local_index] = element;
  workgroupBarrier();
  for (var distance = 1u; distance < WORK_GROUP_SIZE; distance <<= 1u) {
    if (local_index % (2u * distance) == 0u && local_index + distance < WORK_GROUP_SIZE) {
      hillis_steele_elements[local_index] =
        combine(hillis_steele_elements[local_index], hillis_steele_elements[local_index + distance]);
    }
    workgroupBarrier();
  }
  return workgroupUniformLoad(&hillis_steele_elements[0]);
}
