// The result of a reduction has the initial value in front.
// Linked with initial_buffer.wgsl, and in place of result.wgsl.

fn result_of(total: Element) -> Element {
  return combine(initial_element(), total);
}
