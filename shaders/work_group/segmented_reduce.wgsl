// The segmented reduction that a caller's own kernel calls. A segment starts at each thread whose is_head is true, and at the
// first thread.
// Linked after an algorithm of segmented elements and segmented.wgsl.
// Linking also makes functions of thread tiles of this file, such as thread_tile_8_segmented_reduce_add_u32.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// All threads of a segment get its total.
// Work-group memory: the algorithm's, and that of segmented.wgsl.

fn work_group_segmented_reduce_value(value: Value, is_head: bool, local_index: u32) -> Value {
  let own = segmented_element(value, is_head || local_index == 0u, local_index);
  let scan = segmented_work_group_scan_exclusive(own, local_index);
  return segmented_total(own, scan.prefix, scan.total);
}
