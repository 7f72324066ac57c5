// The scans of scan.wgsl, with a total that may steer control flow. They write the total to the caller's variable, since
// WGSL takes no part of a struct as uniform if another part is not.
// Linked after an algorithm.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// Each thread gets its own prefix, and all get the total, which is uniform.
// Work-group memory: the algorithm's.

fn work_group_scan_inclusive_value_uniform(value: Value, local_index: u32, total: ptr<function, Value>) -> Value {
  var own: Element;
  let prefix = work_group_scan_inclusive_uniform(element_from_value(value), local_index, &own);
  *total = value_from_element(own);
  return value_from_element(prefix);
}

fn work_group_scan_exclusive_value_uniform(value: Value, local_index: u32, total: ptr<function, Value>) -> Value {
  var own: Element;
  let prefix = work_group_scan_exclusive_uniform(element_from_value(value), local_index, &own);
  *total = value_from_element(own);
  return value_from_exclusive(prefix);
}
