// The carry is the initial value, and behind it what the look-back found. Work-groups hand on totals without the initial
// value, so a total that is computed again needs none.
// Linked with look_back.wgsl and initial_buffer.wgsl.
// replaces: carry

fn carry() -> Element {
  return combine(initial_element(), look_back_carry);
}
