// Begins a selection: all elements are left, and as many are to be taken as the caller wants and as there are.
// Linked with contract.wgsl, select/selection.wgsl, histogram/bins_words.wgsl and length_*.wgsl.
// Dispatch one work-group, which has a thread for each value of a digit. No work-group memory.

@group(0) @binding(4) var<storage, read_write> begun: Selection;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn begin_selection(@builtin(local_invocation_index) thread: u32) {
  atomicStore(&bins[thread], 0u);
  if (thread == 0u) {
    let length = data_length();
    let wanted = min(call.k, length);
    begun = Selection();
    begun.remaining = wanted;
    begun.done = u32(is_enough(wanted, length));
  }
}
