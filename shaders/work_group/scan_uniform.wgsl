// scan.wgsl's scans with a total that may steer control flow. Of a struct, WGSL takes no part for uniform where another is
// not: the total goes to a variable of the caller's.
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
