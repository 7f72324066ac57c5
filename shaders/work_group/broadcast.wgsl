// OpenCL C's work_group_broadcast: all threads get the value of one.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index), and with the same source in all threads.
// It counts modulo the work-group size.
// All threads get the value: the result is uniform.
// Work-group memory: one value.

fn work_group_broadcast_value(value: Value, source: u32, local_index: u32) -> Value {
  if (local_index == source % WORK_GROUP_SIZE) {
    broadcast_source = value;
  }
  return workgroupUniformLoad(&broadcast_source);
}
