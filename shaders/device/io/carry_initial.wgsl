// There is only one tile. Only the initial value comes before it.
// Linked with initial_buffer.wgsl.

fn load_carry(tile: u32) -> Element {
  return initial_element();
}
