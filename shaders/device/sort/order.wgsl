// Whether neighbours of a sorted tile are in order by the digits up to the one that a pass sorts by. The first digit starts at bit 0.
// Call from any control flow. No work-group memory.

fn are_in_order(earlier: Key, later: Key) -> bool {
  let others = 32u - min(32u, (call.digit + 1u) * DIGIT_BITS);
  return (earlier << others) <= (later << others);
}
