// A selection is done when it takes all elements that are left.
// Call from any control flow. No work-group memory.

fn is_enough(remaining: u32, count: u32) -> bool {
  return remaining == count;
}
