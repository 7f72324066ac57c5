// All data goes from its last item to its first: what is item 0 for the kernel is the last item of the caller's.
// Linked with length_*.wgsl. Call from any control flow. No work-group memory.

// The caller's index of an item that the kernel has at this index, which is less than the length; and the other way round.
fn mirrored(index: u32) -> u32 {
  return data_length() - 1u - index;
}
