// A selection is done when one element is left, or none.
// Call from any control flow. No work-group memory.

fn is_enough(remaining: u32, count: u32) -> bool {
  return count <= 1u;
}
