// The total alone, by a tree of ceil(log2 n) steps, with one barrier for each. A thread combines only as long as it leads a
// run. This file may be linked beside hillis_steele.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// All threads get the total: the result is uniform.
// Work-group memory: WORK_GROUP_SIZE elements, reusable when the function returns.

var<workgroup> hillis_steele_tree: array<Element, WORK_GROUP_SIZE>;

fn work_group_reduce(element: Element, local_index: u32) -> Element {
  hillis_steele_tree[local_index] = element;
  for (var distance = 1u; distance < WORK_GROUP_SIZE; distance <<= 1u) {
    workgroupBarrier();
    if (local_index % (2u * distance) == 0u && local_index + distance < WORK_GROUP_SIZE) {
      hillis_steele_tree[local_index] =
        combine(hillis_steele_tree[local_index], hillis_steele_tree[local_index + distance]);
    }
  }
  return workgroupUniformLoad(&hillis_steele_tree[0]);
}
