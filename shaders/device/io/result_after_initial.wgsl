// The result of a reduction has the initial value in front.
// Linked with initial_buffer.wgsl and reduce_tiles.wgsl.
// replaces: result_of

fn result_of(total: Element) -> Element {
  return combine(initial_element(), total);
}
