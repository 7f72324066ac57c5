// Past an end of the data, neighbours go on from its other end. The distance may be more than the length.

fn place_before(index: u32, distance: u32, length: u32) -> u32 {
  let steps = distance % length;
  // No sum is more than the length, so none wraps around.
  return select(index - steps, index + (length - steps), index < steps);
}

fn place_after(index: u32, distance: u32, length: u32) -> u32 {
  let steps = distance % length;
  return select(index + steps, index - (length - steps), steps >= length - index);
}
